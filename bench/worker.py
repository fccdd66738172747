# SPDX-License-Identifier: Apache-2.0
"""The process of one peer, which stays warm through a whole run. One JSON request a line on standard input, one JSON reply
a line on standard output; `--once` runs a single query, for counting its reads from outside.
"""
import json
import pickle
import sys
import time

import answer
import peers


def serve(engine, requests, replies):
    run = None
    for line in requests:
        request = json.loads(line)
        if "query" in request:
            run = peers.ENGINES[engine](pickle.loads(bytes.fromhex(request["query"])))
            reply = {"answer": answer.digest(run())}
        else:
            reply = {"ns": []}
            for _ in range(request["iterations"]):
                start = time.perf_counter_ns()
                result = run()
                del result
                reply["ns"].append(time.perf_counter_ns() - start)
        print(json.dumps(reply), file=replies, flush=True)


def main():
    engine = sys.argv[1]
    if sys.argv[2:3] == ["--once"]:
        peers.ENGINES[engine](pickle.loads(bytes.fromhex(sys.argv[3])))()
    else:
        serve(engine, sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
