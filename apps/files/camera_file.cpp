// SPDX-License-Identifier: BSD-3-Clause
#include "files/camera_file.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "files/input_file.hpp"
#include "files/json/reader.hpp"

namespace carroll::tool {

namespace {

double positive(InputFile const& file, nlohmann::json const& object, std::string const& name) {
  double const value = json_number(file, object, name);
  if (!(value > 0))
    file.fail("has \"" + name + "\": " + object.at(name).dump() + ", must be above 0");
  return value;
}

int pixels(InputFile const& file, nlohmann::json const& object, std::string const& name) {
  double const value = json_number(file, object, name);
  if (value != std::floor(value) || value < 1 || value > 32768)
    file.fail("has \"" + name + "\": " + object.at(name).dump() +
              ", must be a whole number from 1 to 32768");
  return static_cast<int>(value);
}

}  // namespace

CameraParameters read_camera(std::string const& path) {
  InputFile file(path, "a JSON object with a camera");
  nlohmann::json const object = parse_json(file, "camera");
  if (!object.is_object()) file.fail("is no JSON object with a camera");
  if (!object.contains("model")) {
    file.fail(R"(has no "model"; there are "equirectangular" and "unified")");
  }
  CameraParameters camera;
  nlohmann::json const& model = object.at("model");
  if (model != "equirectangular" && model != "unified")
    file.fail("has \"model\": " + model.dump() + R"(; there are "equirectangular" and "unified")");
  camera.model = model.get<std::string>();

  std::vector<std::string> names = {"model", "width", "height"};
  if (camera.model == "unified") names.insert(names.end(), {"fx", "fy", "cx", "cy", "chi"});
  for (auto const& name : names) {
    if (!object.contains(name)) {
      file.fail("has no \"" + name + "\", which a camera of model \"" + camera.model + "\" needs");
    }
  }
  for (auto const& [name, value] : object.items()) {
    if (std::ranges::find(names, name) == names.end())
      file.fail("has \"" + name + "\", which a camera of model \"" + camera.model + "\" has not");
  }
  camera.width = pixels(file, object, "width");
  camera.height = pixels(file, object, "height");
  if (camera.model == "unified") {
    camera.fx = positive(file, object, "fx");
    camera.fy = positive(file, object, "fy");
    camera.cx = json_number(file, object, "cx");
    camera.cy = json_number(file, object, "cy");
    camera.chi = json_number(file, object, "chi");
    if (camera.chi < 0)
      file.fail("has \"chi\": " + object.at("chi").dump() + ", must not be below 0");
  }
  return camera;
}

nlohmann::ordered_json camera_json(CameraParameters const& camera) {
  nlohmann::ordered_json object;
  object["model"] = camera.model;
  object["width"] = camera.width;
  object["height"] = camera.height;
  if (camera.model == "unified") {
    object["fx"] = camera.fx;
    object["fy"] = camera.fy;
    object["cx"] = camera.cx;
    object["cy"] = camera.cy;
    object["chi"] = camera.chi;
  }
  return object;
}

}  // namespace carroll::tool
