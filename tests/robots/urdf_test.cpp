// Robot descriptions: what each says becomes of it, and the place and words of every fault.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/model/load_robot.hpp"
#include "daedal/model/model.hpp"
#include "daedal/robots/import.hpp"
#include "robots/reference.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <filesystem>
#include <fstream>

namespace daedal::test {
namespace {

using testing::HasSubstr;
using testing::Not;

robots::ImportedRobot imported(const std::string& text, const robots::ImportOptions& options = {
                                                            .base = robots::Base::fixed}) {
  return robots::import_robot(std::make_shared<const SourceFile>("r.urdf", text), options);
}

/// The rendered faults of a description, "" when there are none.
std::string faults(const std::string& text) {
  try {
    imported(text);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

/// <robot> with these elements, on a line of their own each.
std::string robot(const std::string& elements) {
  return "<robot name=\"r\">\n" + elements + "\n</robot>\n";
}

const std::string heavy =
    "<inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\"/></inertial>";

std::string two_links(const std::string& joint, const std::string& second = heavy) {
  return robot("<link name=\"a\"/>\n<link name=\"b\">" + second + "</link>\n" + joint);
}

model::Model model_of(const robots::ImportedRobot& robot, const std::string& more = "") {
  return model::elaborate(model::load_text(robot.text + more, "r"));
}

std::size_t coordinates_of(const model::Model& model) {
  return static_cast<std::size_t>(std::count_if(
      model.symbols.begin(), model.symbols.end(),
      [](const model::Symbol& s) { return s.kind == model::SymbolKind::coordinate; }));
}

std::vector<std::string> notes(const robots::ImportedRobot& robot) {
  std::vector<std::string> texts;
  for (const Diagnostic& note : robot.notes)
    texts.push_back((note.severity == Severity::note ? "note " : "warning ") + note.place.text() +
                    " " + note.message);
  return texts;
}

TEST(Urdf, faults_have_their_place_and_a_remedy) {
  const std::string joint =
      "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>";
  const std::vector<std::pair<std::string, std::string>> cases{
      // XML
      {"", "r.urdf:1:1: error: there is no element in this file"},
      {"robot", "r.urdf:1:1: error: this file is not XML: text stands outside of all elements"},
      {"<robot>", "r.urdf:1:2: error: <robot> is not closed"},
      {"<robot", "r.urdf:1:2: error: the tag '<robot' is not closed"},
      {"<robot>\n</robo>", "r.urdf:2:3: error: </robo> does not close <robot> on line 1"},
      {"<robot a=1/>", "r.urdf:1:10: error: the value of 'a' stands in quotes"},
      {"<robot a=\"1/>", "r.urdf:1:10: error: the value of 'a' is not closed"},
      {"<robot a=\"1\" a=\"2\"/>", "r.urdf:1:14: error: 'a' is given twice in <robot>"},
      {"<robot a=\"&b;\"/>", "r.urdf:1:11: error: there is no entity '&b;'"},
      {"<robot a=\"1 & 2\"/>",
       "r.urdf:1:13: error: '&' starts a character reference, which ends with ';'"},
      {"<!-- never", "r.urdf:1:1: error: this comment is not closed"},
      {"<robot/><robot/>",
       "r.urdf:1:9: error: a document has one element, which ended before this"},
      {"<!DOCTYPE robot [\n<!ENTITY a \"b\">]><robot/>",
       "r.urdf:1:1: error: definitions inside a document are not read"},
      // what it means
      {"<sdf/>", "r.urdf:1:2: error: a robot description starts with <robot>, not <sdf>"},
      {"<robot name=\"r\"/>", "r.urdf:1:2: error: this robot has no links"},
      {robot("<link/>"), "r.urdf:2:2: error: this <link> has no name"},
      {robot("<link name=\"a\"/>\n<link name=\"a\"/>"),
       "r.urdf:3:13: error: a second link is named 'a'"},
      {robot("<link name=\"a\"/>\n<link name=\"b\"/>"),
       "r.urdf:3:2: error: links 'a' and 'b' both have no parent: this is more than one robot"},
      {two_links(joint + "</joint>\n" + joint + "</joint>"),
       "r.urdf:5:14: error: a second joint is named 'j'"},
      {two_links(
           "<joint name=\"j\" type=\"revolut\"><parent link=\"a\"/><child link=\"b\"/></joint>"),
       "r.urdf:4:23: error: there is no joint of type 'revolut'"},
      {two_links(
           "<joint name=\"j\" type=\"fixed\"><parent link=\"c\"/><child link=\"b\"/></joint>"),
       "r.urdf:4:44: error: joint 'j': there is no link 'c'"},
      {two_links("<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>"),
       "r.urdf:4:2: error: joint 'j' has no <parent>"},
      {two_links(
           "<joint name=\"j\" type=\"fixed\"><parent link=\"b\"/><child link=\"b\"/></joint>"),
       "r.urdf:4:2: error: joint 'j' joins 'b' to itself"},
      {two_links(joint + "</joint>\n<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child "
                         "link=\"b\"/></joint>"),
       "r.urdf:5:2: error: link 'b' has two parents: joint 'j' on line 4 holds it, too"},
      {two_links(joint + "</joint>\n<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child "
                         "link=\"a\"/></joint>"),
       "r.urdf:2:2: error: links hold each other in a circle: a -> b"},
      {two_links(joint + "<axis xyz=\"0 0 0\"/></joint>"),
       "error: the axis of joint 'j' is zero and points nowhere"},
      {two_links(joint + "<axis xyz=\"0 nan 1\"/></joint>"), "error: 'nan' is not a finite number"},
      {two_links(joint + "<axis xyz=\"0 1e999 1\"/></joint>"),
       "error: '1e999' is not a finite number"},
      {two_links(joint + "<axis xyz=\"0 1\"/></joint>"), "error: 'xyz' has 3 numbers, not 2"},
      {two_links(joint + "<axis xyz=\"0 0 1 0\"/></joint>"),
       "error: 'xyz' has 3 numbers, not more"},
      {two_links(joint + "<axis xyz=\"0,5 0 1\"/></joint>"), "error: '0,5' is not a finite number"},
      {two_links(joint + "<origin/><origin/></joint>"),
       "error: a second <origin> in <joint>: the first is on line 4"},
      {two_links(joint + "<dynamics damping=\"-1\"/></joint>"),
       "error: the damping of 'j' is negative"},
      {two_links(joint + "<mimic joint=\"k\"/></joint>"),
       "error: joint 'j' follows joint 'k', which does not exist"},
      {two_links(joint + "<mimic joint=\"j\"/></joint>"),
       "r.urdf:4:2: error: joint 'j' follows itself"},
      {two_links(joint + "</joint>", "<inertial><mass value=\"-1\"/></inertial>"),
       "error: the mass of 'b' is negative: -1"},
      {two_links(joint + "</joint>", "<inertial/>"), "error: the inertial of 'b' has no <mass>"},
      {two_links(joint + "</joint>",
                 "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
                 "ixy=\"2\"/></inertial>"),
       "error: the inertia of 'b' has a negative principal moment: -1"},
      {robot("<xacro:macro/>"),
       "r.urdf:2:2: error: this is a xacro file, from which a robot description is made"},
      {robot("<link name=\"${a}\"/>"),
       "r.urdf:2:13: error: this is a xacro file, from which a robot description is made"},
  };
  for (const auto& [text, expected] : cases) EXPECT_THAT(faults(text), HasSubstr(expected)) << text;
}

TEST(Urdf, several_faults_are_reported_at_once) {
  const std::string text = faults(robot(
      "<link name=\"a\"/>\n<link name=\"b\"/>\n<joint name=\"j\"><parent link=\"c\"/></joint>"));
  EXPECT_THAT(text, HasSubstr("has no type"));
  EXPECT_THAT(text, HasSubstr("there is no link 'c'"));
  EXPECT_THAT(text, HasSubstr("has no <child>"));
}

// Documents that are small and would become large, deep or endless.
TEST(Urdf, hostile_documents_are_refused) {
  std::string deep, wide, long_text = "<robot>", links;
  for (int k = 0; k < 100000; ++k) deep += "<a>";
  EXPECT_THAT(faults(deep), HasSubstr("error: elements are nested deeper than 100 levels"));
  for (int k = 0; k < 1100000; ++k) wide += "<a/>";
  EXPECT_THAT(faults("<robot>" + wide + "</robot>"),
              HasSubstr("error: a document has at most 1048576 elements"));
  for (int k = 0; k < 2000; ++k)
    long_text = "<robot a" + std::to_string(k) + "=\"\"" + long_text.substr(6);
  EXPECT_THAT(faults(long_text), HasSubstr("error: an element has at most 1024 attributes"));
  for (int k = 0; k < 100000; ++k) links += fmt::format("<link name=\"l{}\"/>\n", k);
  EXPECT_THAT(faults(robot(links)),
              HasSubstr("r.urdf:10002:2: error: a robot has at most 10000 links"));
  EXPECT_THAT(faults("<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]><robot "
                     "a=\"&lol2;\"/>"),
              HasSubstr("definitions inside a document are not read"));
  EXPECT_THAT(faults("<!DOCTYPE robot SYSTEM \"/etc/passwd\"><robot a=\"&file;\"/>"),
              HasSubstr("there is no entity '&file;'"));
  EXPECT_THAT(faults(std::string("<robot>\0</robot>", 16)),
              HasSubstr("it contains a character with the code 0"));
}

TEST(Urdf, nothing_is_dropped_silently) {
  const robots::ImportedRobot made = imported(
      robot(
          "<material name=\"m\"/>\n<gazebo/>\n<gazebo/>\n<wheel/>\n<link name=\"a\"/>\n<link "
          "name=\"b\">" +
          heavy +
          "<collision/>\n<visual><geometry><mesh filename=\"b.stl\"/></geometry></visual></link>\n"
          "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n"
          "<limit effort=\"1\" velocity=\"0\" lowr=\"1\"/>\n<dynamics friction=\"0.3\"/></joint>"),
      {});
  EXPECT_THAT(notes(made),
              testing::UnorderedElementsAre(
                  "note r.urdf:2:2 <material> is passed over, here and everywhere",
                  "note r.urdf:3:2 <gazebo> is passed over, here and everywhere",
                  "warning r.urdf:5:2 <wheel> in <robot> is unknown: it is not read",
                  HasSubstr("<collision> is passed over, here and everywhere"),
                  HasSubstr("the mesh 'b.stl' of 'b' is not drawn"),
                  HasSubstr("<limit> has no attribute 'lowr': it is not read"),
                  HasSubstr("friction 0.3 of joint 'j' is left out"),
                  HasSubstr("the base 'a' is fixed: the description does not say whether it is")));
  EXPECT_THAT(made.text, HasSubstr("limit u_j in [-1, 1]"));
  EXPECT_THAT(made.text, Not(HasSubstr("limit b.angle")));  // velocity 0 means nothing
}

// A joint that moves nothing heavy: said, but a model around may attach something.
TEST(Urdf, a_moving_link_without_inertia_is_named) {
  const robots::ImportedRobot made = imported(two_links(
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>", ""));
  EXPECT_THAT(notes(made),
              testing::ElementsAre("warning r.urdf:4:2 joint 'j' moves link 'b', which has no "
                                   "inertia, nor has any link beyond it"));
}

TEST(Urdf, names_that_are_no_identifiers_are_changed_and_reported) {
  const robots::ImportedRobot made = imported(robot(
      "<link name=\"1-base\"/>\n<link name=\"part\">" + heavy +
      "</link>\n"
      "<joint name=\"part\" type=\"continuous\"><parent link=\"1-base\"/><child "
      "link=\"part\"/></joint>\n"
      "<link name=\"a b\">" +
      heavy + "</link>\n<link name=\"a-b\">" + heavy +
      "</link>\n"
      "<joint name=\"x\" type=\"continuous\"><parent link=\"part\"/><child link=\"a b\"/></joint>\n"
      "<joint name=\"a_b\" type=\"continuous\"><parent link=\"part\"/><child "
      "link=\"a-b\"/></joint>"));
  EXPECT_THAT(notes(made), testing::UnorderedElementsAre(
                               "note r.urdf:2:2 link '1-base' is called link_1_base here",
                               "note r.urdf:3:2 link 'part' is called part_link here",
                               "note r.urdf:4:2 joint 'part' is called part_joint here",
                               "note r.urdf:5:2 link 'a b' is called a_b here",
                               "note r.urdf:6:2 link 'a-b' is called a_b_2 here",
                               "note r.urdf:8:2 joint 'a_b' is called a_b_joint here"));
  EXPECT_EQ(coordinates_of(model_of(made)), 3u);
}

TEST(Urdf, every_kind_of_joint_and_shape_becomes_a_model) {
  std::string text = "<link name=\"base\"/>\n";
  int coordinates = 0;
  for (const auto& [type, freedoms] : std::vector<std::pair<std::string, int>>{{"revolute", 1},
                                                                               {"continuous", 1},
                                                                               {"prismatic", 1},
                                                                               {"fixed", 0},
                                                                               {"floating", 7},
                                                                               {"planar", 3}}) {
    text +=
        "<link name=\"" + type + "\">" + heavy +
        "<visual><geometry><box size=\"1 2 3\"/></geometry></visual>"
        "<visual><origin xyz=\"1 0 0\" rpy=\"0 1 0\"/><geometry><cylinder radius=\"1\" "
        "length=\"2\"/></geometry></visual>"
        "<visual><geometry><sphere radius=\"0.1\"/></geometry></visual></link>\n<joint name=\"j_" +
        type + "\" type=\"" + type + "\"><parent link=\"base\"/><child link=\"" + type +
        "\"/><origin xyz=\"1 2 3\" rpy=\"0.1 0.2 0.3\"/><axis xyz=\"0 0.6 0.8\"/>"
        "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/><dynamics "
        "damping=\"0.5\"/></joint>\n";
    coordinates += freedoms;
  }
  for (const robots::Base base : {robots::Base::fixed, robots::Base::free}) {
    const robots::ImportedRobot made = imported(robot(text), {.base = base});
    const model::Model model = model_of(made);
    EXPECT_EQ(static_cast<int>(coordinates_of(model)),
              coordinates + (base == robots::Base::free ? 7 : 0));
    EXPECT_EQ(model.limits.size(),
              2u * 3 + 3 - 1);  // ranges of two, velocities and efforts of three
    EXPECT_TRUE(model.warnings.empty()) << render(model.warnings);
  }
}

/// What is printed parses to the tree that is simulated.
TEST(Urdf, the_text_that_is_printed_is_the_model) {
  for (const std::string name : {"planar3r", "arm7", "walker12"}) {
    const robots::ImportedRobot printed =
        model::load_robot(robot_file(name + ".urdf"), {.base = robots::Base::fixed});
    Diagnostics diagnostics;
    const auto direct = imported([&] {
      std::ifstream file(robot_file(name + ".urdf"));
      return std::string(std::istreambuf_iterator<char>(file), {});
    }());
    const auto parse = [&](const std::string& text) {
      return model::parse(std::make_shared<const SourceFile>("r", text), diagnostics);
    };
    const model::syntax::File a = parse(printed.text), b = parse(direct.text);
    EXPECT_FALSE(diagnostics.has_errors()) << render(diagnostics.list());
    EXPECT_EQ(a.models.size(), 1u);
    EXPECT_EQ(a.models[0].statements.size(), b.models[0].statements.size());
    EXPECT_NO_THROW(model::elaborate(model::load_text(printed.text)));
  }
}

std::string import_faults(const std::string& line) {
  try {
    model::elaborate(
        model::load_text(line + "\nmodel m\ncoordinate x\nkinetic x'^2\n", "m.daedal"));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Urdf, options_of_an_import_are_checked) {
  const std::string file = "import \"" + robot_file("arm7.urdf") + "\"";
  EXPECT_EQ(import_faults(file), "");
  EXPECT_EQ(import_faults(file + " (base = free, motors = none)"), "");
  EXPECT_THAT(import_faults(file + " (base = loose)"),
              HasSubstr("error: 'base' cannot be 'loose'"));
  EXPECT_THAT(import_faults(file + " (motors = some)"),
              HasSubstr("error: 'motors' cannot be 'some'"));
  EXPECT_THAT(import_faults(file + " (gravity = none)"),
              HasSubstr("error: a robot is imported without an option 'gravity'"));
  EXPECT_THAT(import_faults(file + " (base)"), HasSubstr("expected '='"));
  EXPECT_THAT(import_faults("import \"" + std::string(DAEDAL_SOURCE_DIR) +
                            "/models/pendulum/pendulum.daedal\" (base = free)"),
              HasSubstr("error: a model is imported without options, such as 'base'"));
  EXPECT_THAT(import_faults("import \"none.urdf\""),
              HasSubstr("m.daedal:1:8: error: cannot import 'none.urdf'"));
}

// The file may be the model itself; faults in it have their places there, whoever imports it.
TEST(Urdf, a_description_is_loaded_as_a_model) {
  const model::Model arm = model::elaborate(model::load(robot_file("arm7.urdf")));
  EXPECT_EQ(arm.name, "arm7");
  EXPECT_EQ(coordinates_of(arm), 7u);
  ASSERT_EQ(arm.warnings.size(), 1u);
  EXPECT_THAT(arm.warnings[0].message, HasSubstr("the base 'base' is fixed"));
  const std::filesystem::path bad = std::filesystem::temp_directory_path() / "daedal_bad.urdf";
  std::ofstream(bad) << "<robot>\n<link/></robot>\n";
  EXPECT_THAT(import_faults("import \"" + bad.string() + "\""),
              HasSubstr(bad.string() + ":2:2: error: this <link> has no name"));
  std::filesystem::remove(bad);
}

TEST(Urdf, the_example_of_the_page_is_a_model) {
  std::ifstream file(DAEDAL_SOURCE_DIR "/docs/howto/import_a_robot.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string fence = "```daedal-import\n";
  const std::size_t start = page.find(fence) + fence.size();
  std::string text = page.substr(start, page.find("```", start) - start);
  const std::string name = "arm7.urdf";
  text.replace(text.find(name), name.size(), robot_file(name));
  const model::Model m = model::elaborate(model::load_text(text));
  EXPECT_EQ(m.constraints.size(), 3u);  // of the ball
  EXPECT_TRUE(m.warnings.empty()) << render(m.warnings);
}

// Readers of other libraries took 0,5 for a number, and 0.5 for 0, where the language of the machine is German.
TEST(Urdf, numbers_do_not_depend_on_the_locale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr &&
      std::setlocale(LC_NUMERIC, "C") == nullptr)
    return;
  const std::string text =
      imported(two_links("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child "
                         "link=\"b\"/><origin xyz=\"0.5 -1e-3 +2.25\"/></joint>"))
          .text;
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_THAT(text, HasSubstr("position = [0.5, -0.001, 2.25]"));
}

const std::string gripper = robot(
    "<link name=\"a\"/>\n<link name=\"b\">" + heavy +
    "</link>\n<link name=\"c\"><inertial><origin xyz=\"0.1 0.2 0\"/><mass value=\"2\"/><inertia "
    "ixx=\"0.1\" iyy=\"0.2\" izz=\"0.15\"/></inertial></link>\n<link name=\"d\">" +
    heavy +
    "</link>\n"
    "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 "
    "0.6 0.8\"/></joint>\n"
    "<joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/><origin "
    "xyz=\"0.3 0 0.1\"/><axis xyz=\"0.6 0 0.8\"/>@k</joint>\n"
    "<joint name=\"l\" type=\"prismatic\"><parent link=\"c\"/><child link=\"d\"/><axis xyz=\"0 1 "
    "0\"/>@l</joint>");

std::string gripper_with(const std::string& k, const std::string& l) {
  std::string text = gripper;
  text.replace(text.find("@k"), 2, k);
  text.replace(text.find("@l"), 2, l);
  return text;
}

// A continuous joint and a slide on skew axes that follow others, against two constraints between coordinates.
TEST(Urdf, a_joint_that_mimics_moves_as_a_constraint_holds_it) {
  ModelPoint followed(
      model_of(imported(gripper_with("<mimic joint=\"j\" multiplier=\"-1.5\" offset=\"0.2\"/>",
                                     "<mimic joint=\"k\" multiplier=\"0.1\"/>"))));
  ModelPoint held(model_of(imported(gripper_with("", "")),
                           "constraint first: c.angle = -1.5*b.angle + 0.2\nconstraint second: "
                           "d.displacement = 0.1*c.angle\n"));
  EXPECT_EQ(coordinates_of(followed.model()), 1u);
  for (const double q : {-0.7, 0.4}) {
    const double v = 1.3;
    followed.set({{"b.angle", q}, {"b.angle'", v}, {"u_j", 0.5}});
    const double c = -1.5 * q + 0.2;
    held.set({{"b.angle", q},
              {"b.angle'", v},
              {"c.angle", c},
              {"c.angle'", -1.5 * v},
              {"d.displacement", 0.1 * c},
              {"d.displacement'", -0.15 * v},
              {"u_j", 0.5}});
    const double expected = held.solve().at("b.angle''");
    EXPECT_NEAR(followed.solve().at("b.angle''"), expected,
                rounding(100, 10 * std::max(1.0, std::abs(expected))));
  }
}

}  // namespace
}  // namespace daedal::test
