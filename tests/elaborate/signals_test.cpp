// Inputs, signals and splines through files.
#include "elaborated.hpp"
#include "support/bounds.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

namespace daedal::model {
namespace {

/// A file in the test's own directory.
class Signals : public testing::Test {
 protected:
  static std::string write(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "daedal_signals_" + name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string fault_of_file(const std::string& text) {
    const std::string path = write("bad.csv", text);
    std::string message = faults_of("model m\nsignal s = spline(file = \"" + path +
                                    "\")\nvariable x\nequation x = s\n");
    message = message.substr(0, message.find('\n'));
    const std::size_t at = message.find(path);
    return at == std::string::npos ? message : message.replace(at, path.size(), "bad.csv");
  }
};

TEST_F(Signals, inputs_have_defaults_in_time_and_parameters) {
  const Elaborated m(
      "model m\nparameter A = 3\ninput u = A*sin(t), v, w[1..2] = [t, 2]\noutput z = [u, v, w[1], "
      "w[2]]\n");
  EXPECT_DOUBLE_EQ(m("z[1]", {{"t", 0.4}}), 3 * std::sin(0.4));
  EXPECT_EQ(m("z[2]"), 0);
  EXPECT_EQ(m("z[3]", {{"t", 0.4}}), 0.4);
  EXPECT_EQ(m("z[4]"), 2);
}

TEST_F(Signals, signals_are_known_motions_and_differentiate) {
  const Elaborated m("model m\nsignal car = [sin(2*t), 1]\noutput v = car'\n");
  EXPECT_DOUBLE_EQ(m("v[1]", {{"t", 0.3}}), 2 * std::cos(0.6));
  EXPECT_EQ(m("v[2]"), 0);
}

TEST_F(Signals, splines_pass_through_their_points_and_stay_at_the_ends) {
  const std::string path =
      write("path.csv", "# a path\ntime, a,\"b\"\r\n0,1,10\n\n1,3,20\n2.5,2,0\n3,5,1\n");
  const Elaborated m("model m\noutput p = spline(file = \"" + path +
                     "\"), q = spline(2*t, file = \"" + path +
                     "\", column = \"b\", smoothness = 4)\n");
  EXPECT_NEAR(m("p[1]", {{"t", 1}}), 3, test::rounding(20, 5));
  EXPECT_NEAR(m("p[2]", {{"t", 2.5}}), 0, test::rounding(20, 20));
  EXPECT_NEAR(m("p[1]", {{"t", 99}}), 5, test::rounding(20, 5));
  EXPECT_EQ(m("p[1]", {{"t", -1}}), 1);
  EXPECT_NEAR(m("q", {{"t", 0.5}}), 20, test::rounding(200, 20));
}

TEST_F(Signals, files_of_the_command_line_go_by_column_name_or_order) {
  const std::string named = write("named.csv", "t,other,u\n0,5,1\n1,5,2\n");
  const std::string plain = write("plain.csv", "0,1,10\n1,2,20\n");
  const std::string text = "model m\ninput u, w[1..2]\noutput z = [u, w[1], w[2]]\n";
  const Elaborated m(text, {{}, {{"u", "@" + named}, {"w", "@" + plain}}, {}});
  EXPECT_DOUBLE_EQ(m("z[1]", {{"t", 0.5}}), 1.5);
  EXPECT_DOUBLE_EQ(m("z[2]", {{"t", 0.5}}), 1.5);
  EXPECT_DOUBLE_EQ(m("z[3]", {{"t", 0.5}}), 15);
  EXPECT_EQ(faults_of(text, {{}, {{"u", "@" + plain}}, {}}),
            "error: the signal file '" + plain + "' has no column 'u', but column 2, column 3");
}

// The same table as programs of several countries and decades write it.
TEST_F(Signals, semicolons_decimal_commas_and_all_line_ends_are_read) {
  for (const char* table : {"t,u\n0,0.5\n1,2.5\n", "t;u\n0;0,5\n1;2,5\n",
                            "t; u\r\n0;0.5\r\n1;2.5\r\n", "t,u\r0,0.5\r1,2.5\r",
                            "\xEF\xBB\xBF"
                            "0,0.5\n1,2.5\n",
                            "0,0;0,5\n1,0;2,5"}) {
    const std::string path = write("dialect.csv", table);
    const Elaborated m("model m\ninput u\noutput z = u\n", {{}, {{"u", "@" + path}}, {}});
    EXPECT_DOUBLE_EQ(m("z", {{"t", 0.5}}), 1.5) << table;
  }
}

// What --csv-units writes is read back: 'F[N]' was no column 'F', and in a file of two columns any unit was ignored.
TEST_F(Signals, numbers_are_in_the_unit_beside_the_name_of_their_column) {
  const std::string text = "model m\ninput F [mN]\noutput z = F\n";
  const auto at_half = [&](const std::string& table) {
    const std::string path = write("units.csv", table);
    return Elaborated(text, {{}, {{"F", "@" + path}}, {}})("z", {{"t", 0.5}});
  };
  EXPECT_DOUBLE_EQ(at_half("t[s],F[N]\n0,1\n1,2\n"), 1.5);
  EXPECT_DOUBLE_EQ(at_half("t [ms], phi[1], F [kN]\n0,9,1\n1000,9,2\n"), 1500);
  EXPECT_DOUBLE_EQ(at_half("t,F\n0,1\n1,2\n"), 1.5e-3);  // in the declared one
  const std::string path = write("units.csv", "t,F[kg]\n0,1\n1,2\n");
  EXPECT_EQ(faults_of(text, {{}, {{"F", "@" + path}}, {}}),
            "error: the signal file '" + path + "' has 'F' in kg, and it is declared in N");
}

// The first of them was used without a warning.
TEST_F(Signals, a_column_that_is_there_twice_is_refused_where_it_is_meant) {
  const std::string path = write("twice.csv", "t,u,u,v\n0,5,1,3\n1,5,2,4\n");
  EXPECT_EQ(faults_of("model m\ninput u\noutput z = u\n", {{}, {{"u", "@" + path}}, {}}),
            "error: the signal file '" + path +
                "' has 2 columns 'u'\n  help: which one is meant? rename the others");
  const Elaborated m("model m\ninput v\noutput z = v\n", {{}, {{"v", "@" + path}}, {}});
  EXPECT_DOUBLE_EQ(m("z", {{"t", 0.5}}), 3.5);
}

TEST_F(Signals, faulty_files_are_told_at_the_call) {
  EXPECT_EQ(fault_of_file("t,a\n0,1\n1\n"),
            "model.daedal:2:12: error: the signal file 'bad.csv' has 1 cells in line 3 and 2 in "
            "its first");
  EXPECT_EQ(
      fault_of_file("t,a\n0,1\n1,nan\n"),
      "model.daedal:2:12: error: the signal file 'bad.csv' has no finite number in line 3: 'nan'");
  EXPECT_EQ(fault_of_file("t,a\n0,1\n0,2\n"),
            "model.daedal:2:12: error: the signal file 'bad.csv' must increase in its first "
            "column, but has 0 after 0");
  EXPECT_EQ(
      fault_of_file("t,a\n0,1\n"),
      "model.daedal:2:12: error: the signal file 'bad.csv' needs at least two rows of numbers");
  EXPECT_EQ(fault_of_file("1\n2\n"),
            "model.daedal:2:12: error: the signal file 'bad.csv' needs at least two columns");
  EXPECT_EQ(faults_of("model m\nsignal s = spline(file = \"nowhere.csv\")\n"),
            "model.daedal:2:12: error: the signal file 'nowhere.csv' cannot be read\n"
            "    signal s = spline(file = \"nowhere.csv\")\n"
            "               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~");
  EXPECT_EQ(faults_of("model m\nsignal s = spline(file = \"/dev/zero\")\n"),
            "model.daedal:2:12: error: the signal file '/dev/zero' is not a regular file\n"
            "    signal s = spline(file = \"/dev/zero\")\n"
            "               ^~~~~~~~~~~~~~~~~~~~~~~~~~");
}

}  // namespace
}  // namespace daedal::model
