// SPDX-License-Identifier: BSD-3-Clause
#include "files/camera/camera_file.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "files/camera/calibration.hpp"
#include "files/input_file.hpp"
#include "files/json/reader.hpp"

namespace carroll::tool {

namespace {

struct CameraModelNames {
  std::string model;
  bool lens;  ///< has fx, fy, cx, cy
  Distortion distortion;
  std::vector<std::string> more;
};
CameraModelNames const camera_models[] = {
    {"equirectangular", false, Distortion::none, {}},
    {"unified", true, Distortion::none, {"chi"}},
    {"radial_tangential", true, Distortion::radial_tangential, {"k1", "k2", "p1", "p2", "k3"}},
    {"kannala_brandt", true, Distortion::kannala_brandt, {"k1", "k2", "k3", "k4"}}};
constexpr char const* models =
    R"("equirectangular" and "unified", and with distortion "radial_tangential" and )"
    R"("kannala_brandt")";

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
  if (begins_as_calibration(file)) return read_calibration(file);
  nlohmann::json const object = parse_json(file, "camera");
  if (!object.is_object()) file.fail("is no JSON object with a camera");
  if (!object.contains("model")) file.fail("has no \"model\"; there are " + std::string(models));
  nlohmann::json const& model = object.at("model");
  auto const known = std::ranges::find_if(
      camera_models, [&](CameraModelNames const& names) { return model == names.model; });
  if (known == std::ranges::end(camera_models))
    file.fail("has \"model\": " + model.dump() + "; there are " + std::string(models));

  std::vector<std::string> names = {"model", "width", "height"};
  if (known->lens) names.insert(names.end(), {"fx", "fy", "cx", "cy"});
  names.insert(names.end(), known->more.begin(), known->more.end());
  for (auto const& name : names) {
    if (!object.contains(name)) {
      file.fail("has no \"" + name + "\", which a camera of model " + model.dump() + " needs");
    }
  }
  for (auto const& [name, value] : object.items()) {
    if (std::ranges::find(names, name) == names.end())
      file.fail("has \"" + name + "\", which a camera of model " + model.dump() + " has not");
  }
  CameraParameters camera;
  camera.model = known->lens ? "unified" : known->model;
  camera.width = pixels(file, object, "width");
  camera.height = pixels(file, object, "height");
  if (!known->lens) return camera;
  camera.fx = positive(file, object, "fx");
  camera.fy = positive(file, object, "fy");
  camera.cx = json_number(file, object, "cx");
  camera.cy = json_number(file, object, "cy");
  camera.distortion = known->distortion;
  if (camera.distortion == Distortion::none) {
    camera.chi = json_number(file, object, "chi");
    if (camera.chi < 0)
      file.fail("has \"chi\": " + object.at("chi").dump() + ", must not be below 0");
    return camera;
  }
  for (std::size_t i = 0; i < known->more.size(); ++i)
    camera.coefficients[i] = json_number(file, object, known->more[i]);
  return camera;
}

nlohmann::ordered_json camera_json(CameraParameters const& camera) {
  auto const& names = *std::ranges::find_if(camera_models, [&](CameraModelNames const& known) {
    return known.lens == (camera.model == "unified") && known.distortion == camera.distortion;
  });
  nlohmann::ordered_json object;
  object["model"] = names.model;
  object["width"] = camera.width;
  object["height"] = camera.height;
  if (!names.lens) return object;
  object["fx"] = camera.fx;
  object["fy"] = camera.fy;
  object["cx"] = camera.cx;
  object["cy"] = camera.cy;
  if (camera.distortion == Distortion::none) object["chi"] = camera.chi;
  for (std::size_t i = 0; camera.distortion != Distortion::none && i < names.more.size(); ++i)
    object[names.more[i]] = camera.coefficients[i];
  return object;
}

}  // namespace carroll::tool
