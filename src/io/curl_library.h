// SPDX-License-Identifier: Apache-2.0
//
// libcurl, loaded when it is first needed: the functions that are used of it, by their names without curl_.
//
//   ARROW_ASSIGN_OR_RAISE(const Curl* const curl, LoadCurl());
//   CURL* const handle = curl->easy_init();
#pragma once

#ifndef CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_TYPECHECK  // its checks name the functions themselves, which are not linked
#endif
#include <curl/curl.h>

#include <string>

#include <arrow/result.h>

#include "frazil/error.h"

namespace frazil::io {

struct Curl {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_reset) easy_reset;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_perform) easy_perform;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_cleanup) multi_cleanup;
  decltype(&::curl_multi_setopt) multi_setopt;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_url) url;
  decltype(&::curl_url_cleanup) url_cleanup;
  decltype(&::curl_url_set) url_set;
  decltype(&::curl_url_get) url_get;
  decltype(&::curl_free) free;
};

// Loaded once, never unloaded. Thread-safe. Errors: unsupported, when there is no libcurl; internal, when it does not
// start.
arrow::Result<const Curl*> LoadCurl();

// Where a request goes to.
struct Origin {
  std::string scheme, host, port;
  bool operator==(const Origin&) const = default;
};

// What curl makes of the URL: the same parser that will connect. Host in lower case, port as a number.
// Errors: usage (malformed), unsupported (neither http nor https). None shows a secret of the URL.
arrow::Result<Origin> OriginOf(const Curl& curl, const std::string& url);

// The kind of a transfer's failure.
ErrorKind KindOfCurl(CURLcode code);

// Whether a connection that was there broke off, so that the same request may work at once on another.
bool BrokeOff(CURLcode code);

}  // namespace frazil::io
