// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/sequence/frames.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "files/file_error.hpp"
#include "files/input_file.hpp"
#include "files/pictures/any.hpp"
#include "files/words.hpp"

namespace carroll::tool {

namespace {

namespace fs = std::filesystem;

std::optional<double> number_of_word(std::string_view word) {
  double value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// "1305031102.175304.png" or "1403715273262142976.png"
std::optional<double> time_in_name(std::string const& path) {
  std::string const stem = fs::path(path).stem().string();
  bool const digits = std::ranges::all_of(stem, [](char c) { return c >= '0' && c <= '9'; });
  if (digits && stem.size() < 16) return std::nullopt;  // a count
  auto const value = number_of_word(stem);
  return value && digits ? *value * 1e-9 : value;
}

bool is_picture_name(fs::path const& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

std::vector<std::string> pictures_in(std::string const& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (is_picture_name(it->path())) paths.push_back(it->path().string());
  if (error) throw FileError(directory, "cannot be read: " + error.message());
  std::ranges::sort(paths);
  return paths;
}

SequenceFrames frames_listed_in(std::string const& path) {
  InputFile file(path, "a list of pictures");
  SequenceFrames frames;
  std::string line;
  while (file.next_line(line)) {
    std::string_view text = std::string_view(line).substr(0, line.find('#'));
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    if (text.empty()) continue;
    auto const blank = std::ranges::find_if(text, is_blank);
    auto const time = number_of_word(std::string_view(text.begin(), blank));
    if (time && blank != text.end()) {
      frames.times.push_back(*time);
      text.remove_prefix(static_cast<std::size_t>(blank - text.begin()));
      while (is_blank(text.front())) text.remove_prefix(1);
    }
    frames.paths.push_back((fs::path(path).parent_path() / std::string(text)).string());
    if (!frames.times.empty() && frames.times.size() != frames.paths.size())
      file.fail("has times before some names only");
  }
  return frames;
}

}  // namespace

SequenceFrames sequence_frames(std::vector<std::string> const& words) {
  SequenceFrames frames;
  if (words.size() > 1)
    frames.paths = words;
  else if (fs::is_directory(words.front()))
    frames.paths = pictures_in(words.front());
  else if (!begins_as_picture(words.front()))
    frames = frames_listed_in(words.front());
  else
    frames.paths = words;
  if (frames.paths.size() < 2)
    throw FileError(words.front(), "is " + std::string(frames.paths.empty() ? "no" : "one") +
                                       " picture; a track needs two, a directory or a list of "
                                       "them");
  frames.timed = !frames.times.empty();
  if (!frames.timed) {
    for (auto const& path : frames.paths) {
      auto const time = time_in_name(path);
      if (!time) break;
      frames.times.push_back(*time);
    }
    frames.timed = frames.times.size() == frames.paths.size();
  }
  if (!frames.timed) {
    frames.times.clear();
    for (std::size_t i = 0; i < frames.paths.size(); ++i)
      frames.times.push_back(static_cast<double>(i));
  }
  return frames;
}

}  // namespace carroll::tool
