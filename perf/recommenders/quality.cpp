// SPDX-License-Identifier: BSD-3-Clause
// Trains a method on files of ratings and prints its error on another one, as JSON. Of several
// settings the one with the least error on a tenth of the training ratings, which is set apart
// meanwhile, is trained again on all of them; the test file is not looked at before.
//
//   recommender_quality METHOD DATA USERS ITEMS TEST TRAIN...
//
// quality.py calls it for the folds of a data set.
#include <chrono>
#include <exception>
#include <iostream>
#include <vector>

#include "recommenders/methods.hpp"

namespace {

using namespace carroll::perf;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run(std::vector<std::string> const& arguments) {
  if (arguments.size() < 6) {
    std::cerr << "usage: recommender_quality METHOD DATA USERS ITEMS TEST TRAIN...\nmethods:";
    for (auto const& method : methods()) std::cerr << ' ' << method.name;
    std::cerr << '\n';
    return 2;
  }
  int const users = std::stoi(arguments[2]), items = std::stoi(arguments[3]);
  for (auto const& method : methods()) {
    if (method.name != arguments[0]) continue;
    Triples test, all, train, validation;
    test.read(arguments[4]);
    for (std::size_t a = 5; a < arguments.size(); ++a) all.read(arguments[a]);
    auto const settings = method.settings(arguments[1]);
    std::size_t best = 0;
    std::cout << "{\"method\": \"" << method.name << "\", \"validation\": {";
    if (settings.size() > 1) {
      set_apart(all, train, validation);
      Task const t = task(train, validation, users, items);
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t s = 0; s < settings.size(); ++s) {
        double const error = rmse(t, settings[s], validation);
        std::cout << (s > 0 ? ", " : "") << '"' << settings[s].name << "\": " << error;
        if (error < least) {
          least = error;
          best = s;
        }
      }
    }
    Task const t = task(all, test, users, items);
    auto const begin = std::chrono::steady_clock::now();
    double const error = rmse(t, settings[best], test);
    std::cout << "}, \"setting\": \"" << settings[best].name << "\", \"rmse\": " << error
              << ", \"seconds\": " << seconds_since(begin) << "}\n";
    return 0;
  }
  std::cerr << "recommender_quality: there is no method " << arguments[0] << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (std::exception const& error) {
    std::cerr << "recommender_quality: " << error.what() << '\n';
    return 2;
  }
}
