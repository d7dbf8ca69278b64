// The public data of every answer as plain values: fields of the same names as in C++.
#include "daedal/study/analyse.hpp"
#include "daedal/study/control.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/check.hpp"
#include "daedal/task/compare.hpp"
#include "daedal/task/export_c.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/simulate.hpp"
#include "questions.hpp"
#include "shown.hpp"

namespace daedal::python {

namespace {

using namespace task;

void structure_into(Fields& f, const structure::Structure& s) {
  f.add("index", s.index)
      .add("degrees_of_freedom", s.degrees_of_freedom)
      .add("solvable", s.solvable())
      .add("remark", s.remark);
}

void equation_into(Fields& f, const emit::WrittenEquation& e) {
  f.add("name", e.name).add("text", e.text).add("latex", e.latex).add("derivative", e.derivative);
}

void trust_into(Fields& f, const solve::Trust& trust) {
  f.add("level", name(trust.level)).add("until", trust.until).add("reason", trust.reason);
}

void drift_into(Fields& f, const solve::LevelDrift& drift) {
  f.add("level", drift.level)
      .add("largest", drift.largest)
      .add("constraint", drift.constraint)
      .add("at", drift.at);
}

void statistics_into(Fields& f, const solve::StepStatistics& s) {
  f.add("accepted", s.accepted)
      .add("rejected", s.rejected)
      .add("evaluations", s.evaluations)
      .add("jacobians", s.jacobians)
      .add("factorisations", s.factorisations)
      .add("newton_iterations", s.newton_iterations)
      .add("projections", s.projections)
      .add("smallest_step", s.smallest_step)
      .add("largest_step", s.largest_step);
}

void error_column_into(Fields& f, const solve::GlobalError::Column& c) {
  f.add("name", c.name)
      .add("kind", name_of(c.kind))
      .add("largest", c.largest)
      .add("at", c.at)
      .add("compared", c.compared)
      .add("motion", c.motion);
}

void error_into(Fields& f, const solve::GlobalError& e) {
  f.add("known", e.known())
      .add("method", e.method)
      .list("columns", e.columns, error_column_into)
      .add("event_time", e.event_time)
      .add("until", e.until)
      .add("whole", e.whole)
      .add("remark", e.remark)
      .add("share", e.share)
      .add("worst", e.worst)
      .add("wall_time", e.wall_time);
}

void energy_into(Fields& f, const solve::EnergyBalance& e) {
  f.add("known", e.known)
      .add("initial", e.initial)
      .add("final", e.final)
      .add("work", e.work)
      .add("largest_error", e.largest_error)
      .add("at", e.at)
      .add("scale", e.scale);
}

void event_into(Fields& f, const solve::FiredEvent& e) {
  f.add("name", e.name).add("t", e.t).add("what", e.what);
}

void command_into(Fields& f, const solve::CommandRecord& c) {
  f.add("input", c.input)
      .add("peak", c.peak)
      .add("peak_at", c.peak_at)
      .add("variation", c.variation)
      .add("low", c.low)
      .add("high", c.high)
      .add("limited", c.limited);
}

void control_record_into(Fields& f, const solve::ControlRecord& c) {
  f.add("controller", c.controller)
      .add("period", c.period)
      .add("samples", c.samples)
      .add("mean_time", c.mean_time)
      .add("largest_time", c.largest_time)
      .list("commands", c.commands, command_into)
      .add("estimation_errors", c.estimation_errors);
}

void trajectory_into(Fields& f, const solve::Trajectory& t) {
  f.add("status", status_name(t))
      .add("method", t.method)
      .list("drift", t.drift, drift_into)
      .record("constraints", t.constraints, drift_into)
      .record("energy", t.energy, energy_into)
      .record("global_error", t.global_error, error_into)
      .record("trust", t.trust, trust_into)
      .record("statistics", t.statistics, statistics_into)
      .add("wall_time", t.wall_time)
      .add("branch_changes", t.branch_changes)
      .list("events", t.events, event_into)
      .list("controls", t.controls, control_record_into)
      .add("history", t.history);
}

void output_figures_into(Fields& f, const OutputFigures& o) {
  f.add("output", o.output)
      .add("unit", o.unit)
      .add("reference", reference_names()[static_cast<std::size_t>(o.reference)])
      .add("scale", o.scale)
      .add("settling_5", o.settling_5)
      .add("settling_2", o.settling_2)
      .add("overshoot", o.overshoot)
      .add("rms", o.rms)
      .add("peak", o.peak)
      .add("peak_at", o.peak_at)
      .add("lag", o.lag);
}

void input_figures_into(Fields& f, const InputFigures& i) {
  f.add("input", i.input)
      .add("unit", i.unit)
      .add("controller", i.controller)
      .add("peak", i.peak)
      .add("peak_at", i.peak_at)
      .add("variation", i.variation)
      .add("low", i.low)
      .add("high", i.high)
      .add("limited", i.limited);
}

void figures_into(Fields& f, const FiguresOfMerit& figures) {
  f.add("resolution", figures.resolution)
      .list("outputs", figures.outputs, output_figures_into)
      .list("inputs", figures.inputs, input_figures_into);
}

void describe(Fields& f, const Simulation& s) {
  trajectory_into(f, s.trajectory);
  f.add("experiment", s.experiment);
  if (s.figures) f.record("figures", *s.figures, figures_into);
}

void signal_into(Fields& f, const Signal& s) {
  f.add("name", s.name)
      .add("unit", s.unit)
      .add("smallest", s.smallest)
      .add("smallest_at", s.smallest_at)
      .add("largest", s.largest)
      .add("largest_at", s.largest_at)
      .add("rate", s.rate)
      .add("rate_at", s.rate_at)
      .add("sign_change", s.sign_change)
      .add("peak", s.peak())
      .add("peak_at", s.peak_at());
}

void describe(Fields& f, const Inversion& i) {
  static constexpr const char* phases[] = {"flat", "minimum", "marginal", "non_minimum"};
  trajectory_into(f, i.trajectory);
  f.add("experiment", i.experiment)
      .add("index", i.index)
      .add("free_initial_values", i.free_initial_values)
      .add("phase", phases[static_cast<std::size_t>(i.phase)])
      .add("zeros", i.zeros)
      .list("inputs", i.inputs, signal_into)
      .list("forces", i.forces, signal_into)
      .add("tracking", i.tracking);
}

void describe(Fields& f, const Check& c) {
  f.record("structure", c.structure, structure_into);
  if (c.inverse) f.record("inverse", *c.inverse, structure_into);
  if (c.units)
    f.list("units", *c.units, [](Fields& one, const model::UnitOfName& u) {
      one.add("name", u.name).add("kind", u.kind).add("unit", u.unit).add("stated", u.stated);
    });
}

void describe(Fields& f, const Explanation& e) {
  f.record("structure", e.structure, structure_into)
      .list("equations", e.equations, equation_into)
      .list("converted", e.converted, equation_into)
      .list("hidden", e.hidden, equation_into);
}

void describe(Fields& f, const Comparison& c) {
  f.add("until", c.until).record("reference", c.reference, trust_into);
  f.list("cases", c.cases, [](Fields& one, const ComparedCase& k) {
    one.add("formulation", k.formulation)
        .add("method", k.method)
        .add("accuracy", k.accuracy)
        .add("equal_steps", k.equal_steps)
        .add("asked", k.asked)
        .add("refused", k.result.refused)
        .add("completed", k.result.status == solve::Status::completed)
        .add("reason", k.result.reason)
        .add("position_error", k.result.position_error)
        .add("velocity_error", k.result.velocity_error)
        .add("multiplier_error", k.result.multiplier_error)
        .add("wrong", k.result.wrong)
        .add("drift", k.result.drift)
        .add("energy_error", k.result.energy_error)
        .record("statistics", k.result.statistics, statistics_into)
        .add("wall_time", k.result.wall_time);
  });
}

void describe(Fields& f, const ControllerComparison& c) {
  f.add("experiment", c.experiment).add("controllers", c.controllers);
  f.list("runs", c.runs,
         [](Fields& one, const std::shared_ptr<const Simulation>& run) { describe(one, *run); });
}

void describe(Fields& f, const InverseForms& forms) {
  f.add("steps",
        std::vector<double>(std::begin(InverseForms::steps), std::end(InverseForms::steps)));
  f.list("forms", forms.forms, [](Fields& one, const InverseForm& form) {
    one.add("name", form.name)
        .add("obstacle", form.obstacle)
        .add("index", form.index)
        .add("unknowns", form.unknowns)
        .add("condition", form.condition)
        .add("words", form.words);
    if (form.run)
      one.record("run", *form.run, [](Fields& r, const InverseForm::Run& run) {
        r.add("completed", run.completed)
            .add("reason", run.reason)
            .add("error", run.error)
            .add("most_iterations", run.most_iterations)
            .add("median_step_time", run.median_step_time);
      });
  });
}

void describe(Fields& f, const StableFormulations& s) {
  f.add("begin", s.begin)
      .add("end", s.end)
      .add("step", s.step)
      .add("largest_input", s.largest_input);
  f.list("formulations", s.formulations, [](Fields& one, const StableFormulation& k) {
    one.add("name", k.name)
        .add("obstacle", k.obstacle)
        .add("unknowns", k.unknowns)
        .add("iterations", k.iterations)
        .add("seconds", k.seconds)
        .add("error", k.error);
  });
}

void describe(Fields& f, const MonteCarlo& m) {
  f.add("runs", m.runs)
      .add("done", m.done)
      .add("wall_time", m.wall_time)
      .add("bands", m.bands)
      .add("table_of_runs", m.table_of_runs);
  f.list("failures", m.failures, [](Fields& one, const FailedRun& run) {
    one.add("run", run.run).add("reason", run.reason);
  });
  f.list("figures", m.figures, [](Fields& one, const FigureQuantiles& q) {
    one.add("figure", q.figure)
        .add("of", q.of)
        .add("unit", q.unit)
        .add("low", q.values.low)
        .add("median", q.values.median)
        .add("high", q.values.high)
        .add("known", q.known);
  });
  f.list("observers", m.observers, [](Fields& one, const Consistency& c) {
    one.add("controller", c.controller)
        .add("degrees", c.degrees)
        .add("average", c.average)
        .add("low", c.low)
        .add("high", c.high)
        .add("within", c.within);
  });
}

void describe(Fields& f, const CExport& c) {
  f.add("name", c.name).add("header", c.header).add("source", c.source).add("paths", c.paths());
  py::dict arguments;
  for (const auto& [word, names] : c.arguments) arguments[py::str(word)] = f.shown(names);
  f.add_object("arguments", arguments);
}

void linear_into(Fields& f, const LinearModel& l) {
  f.add("e", l.e)
      .add("a", l.a)
      .add("b", l.b)
      .add("c", l.c)
      .add("d", l.d)
      .add("variables", l.variables)
      .add("equations", l.equations)
      .add("inputs", l.inputs)
      .add("outputs", l.outputs);
}

void margins_into(Fields& f, const InputMargins& m) {
  f.add("input", m.input)
      .add("lowest_gain", m.lowest_gain)
      .add("highest_gain", m.highest_gain)
      .add("phase", m.phase)
      .add("phase_at", m.phase_at)
      .add("delay", m.delay)
      .add("delay_at", m.delay_at)
      .add("sensitivity_peak", m.sensitivity_peak)
      .add("peak_at", m.peak_at);
}

void describe(Fields& f, const Analysis& a) {
  f.add("found", a.found)
      .add("equilibrium", a.equilibrium)
      .record("linear", a.linear, linear_into)
      .add("poles", a.poles)
      .add("zeros", a.zeros)
      .add("stability", a.stability)
      .add("phase", a.phase)
      .add("relative_degree", a.relative_degree)
      .add("controllable", a.controllable)
      .add("observable", a.observable)
      .add("change", a.change)
      .add("doubts", a.doubts)
      .list("margins", a.margins, margins_into)
      .add("response", a.response);
  if (a.reduced)
    f.record("reduced", *a.reduced, [](Fields& one, const ReducedLinearModel& r) {
      one.add("a", r.a).add("b", r.b).add("c", r.c).add("d", r.d).add("error_bound", r.error_bound);
    });
}

void describe(Fields& f, const SampledLoop& s) {
  f.add("found", s.found)
      .add("period", s.period)
      .add("equilibrium", s.equilibrium)
      .add("factors", s.factors)
      .add("rates", s.rates)
      .add("stability", s.stability)
      .list("margins", s.margins, margins_into);
}

void describe(Fields& f, const Branches& b) {
  f.add("over", b.over).add("points", b.points);
  f.list("events", b.events, [](Fields& one, const BranchEvent& e) {
    one.add("kind", e.kind)
        .add("branch", e.branch)
        .add("parameter", e.parameter)
        .add("stability", e.stability);
  });
}

void describe(Fields& f, const RootLocus& l) {
  f.add("over", l.over)
      .add("parameters", l.over.values())
      .add("at_start", l.at_start)
      .add("poles", l.poles)
      .add("zeros", l.zeros)
      .add("rounding", l.rounding)
      .add("classes", l.classes);
  f.list("crossings", l.crossings, [](Fields& one, const AxisCrossing& c) {
    one.add("zero", c.zero)
        .add("parameter", c.parameter)
        .add("frequency", c.frequency)
        .add("to_the_right", c.to_the_right);
  });
  f.list("stability", l.stability, [](Fields& one, const StabilityRange& r) {
    one.add("begin", r.from).add("end", r.to).add("stability", r.stability);
  });
}

void describe(Fields& f, const ClassMap& m) {
  f.add("x", m.x)
      .add("y", m.y)
      .add("x_values", m.x.values())
      .add("y_values", m.y.values())
      .add("classes", m.classes);
}

void describe(Fields& f, const Sensitivity& s) {
  f.list("parameters", s.parameters, [](Fields& one, const ParameterRates& p) {
    const auto complex_rate = [](Fields& r, const ParameterRates::ComplexRate& rate) {
      r.add("of", std::vector{rate.of})
          .add("rate", std::vector{rate.rate})
          .add("error", rate.error);
    };
    one.add("parameter", p.parameter).add("value", p.value).add("missing", p.missing);
    one.list("equilibrium", p.equilibrium, [](Fields& r, const ParameterRates::Rate& rate) {
      r.add("of", rate.of).add("rate", rate.rate).add("error", rate.error);
    });
    one.list("poles", p.poles, complex_rate).list("zeros", p.zeros, complex_rate);
  });
}

void point_into(Fields& f, const ZeroPathPoint& p) {
  f.add("parameters", p.parameters)
      .add("found", p.found)
      .add("acceptable", p.acceptable)
      .add("phase", p.phase)
      .add("zeros", p.zeros);
}

void describe(Fields& f, const ZeroPathMap& m) {
  f.list("points", m.points, point_into).add("changes", m.changes);
  if (m.best) f.record("best", *m.best, point_into);
}

void describe(Fields& f, const ZeroSearch& s) {
  f.list("lines", s.lines, [](Fields& one, const ZeroSearchLine& l) {
    one.add("redefine", l.redefine)
        .add("against", l.against)
        .add("limit", l.limit)
        .add("best", l.best)
        .add("phase", l.phase);
  });
}

void describe(Fields& f, const ControlDesign& c) {
  f.add("inputs", c.inputs)
      .add("states", c.states)
      .add("input_units", c.input_units)
      .add("state_units", c.state_units)
      .add("gain", c.gain)
      .add("state_weights", c.state_weights)
      .add("input_weights", c.input_weights)
      .add("rest", c.rest)
      .add("held", c.held)
      .add("period", c.period)
      .add("reduced", c.reduced)
      .add("open", c.open)
      .add("closed", c.closed)
      .list("margins", c.margins, margins_into)
      .add("step", c.step)
      .add("residual", c.residual)
      .add("condition", c.condition);
  f.list("limits", c.limits, [](Fields& one, const BandwidthLimit& l) {
    one.add("cause", l.cause)
        .add("frequency", l.frequency)
        .add("lowest", l.lowest)
        .add("text", l.text);
  });
}

void describe(Fields& f, const ControllerDesigns& c) {
  f.add("controllers", c.controllers);
  f.list("laws", c.laws, [](Fields& one, const ControllerDesigns::Law& law) {
    one.add("name", law.name);
    if (law.design)
      one.record("design", *law.design,
                 [](Fields& own, const ControlDesign& d) { describe(own, d); });
  });
}

void describe(Fields& f, const StartLinearisation& s) {
  f.add("values", s.values)
      .record("linear", s.linear, linear_into)
      .add("poles", s.poles)
      .add("zeros", s.zeros)
      .add("response", s.response);
}

void describe(Fields& f, const MotionLinearisation& m) { f.add("poles", m.poles); }

void describe(Fields& f, const NormalForm& n) {
  f.add("outputs", n.outputs)
      .add("internal", n.internal)
      .add("relative_degree", n.relative_degree)
      .add("xi", n.xi)
      .add("b", n.b)
      .add("a", n.a)
      .add("eta", n.eta)
      .add("q", n.q)
      .add("p", n.p)
      .add("rank", n.rank)
      .add("holding_input", n.holding_input)
      .add("eta_rate", n.eta_rate);
}

void describe(Fields& f, const ZeroDynamics& z) {
  f.add("rest", z.rest);
  trajectory_into(f, z.trajectory);
}

void describe(Fields& f, const LinearMotion& m) {
  f.add("until", m.until);
  f.list("coordinates", m.coordinates, [](Fields& one, const LinearMotion::Coordinate& c) {
    one.add("name", c.name)
        .add("largest", c.largest)
        .add("difference", c.difference)
        .add("at", c.at);
  });
}

void describe(Fields& f, const LyapunovRegion& r) {
  static constexpr const char* functions[] = {"quadratic", "energy"};
  f.add("function", functions[static_cast<std::size_t>(r.function)])
      .add("radius", r.radius)
      .add("samples", r.samples)
      .add("decreases", r.decreases)
      .add("level", r.level)
      .add("worst_rate", r.worst_rate)
      .add("worst", r.worst)
      .add("epsilon", r.epsilon)
      .add("epsilon_bound", r.epsilon_bound);
}

void describe(Fields& f, const Pose& p) {
  f.add("degrees_of_freedom", p.degrees_of_freedom)
      .add("iterations", p.iterations)
      .add("coordinates", p.coordinates)
      .add("outputs", p.outputs)
      .add("motors", p.motors)
      .add("jacobian", p.jacobian)
      .add("smallest_singular_values", p.smallest_singular_values)
      .add("held", p.held)
      .add("inputs", p.inputs)
      .add("branches", p.branches);
}

void pose_event_into(Fields& f, const PoseEvent& e) {
  f.add("kind", e.kind)
      .add("name", e.name)
      .add("what", e.what)
      .add("along", e.along)
      .add("coordinates", e.coordinates);
}

void describe(Fields& f, const PosePath& p) {
  f.list("events", p.events, pose_event_into).add("closed", p.closed);
}

void describe(Fields& f, const PoseBox& b) {
  py::list axes;
  for (const Range& axis : b.axes) axes.append(f.shown(axis));
  f.add_object("axes", axes);
  f.add("reachable", b.reachable).list("singular", b.singular, pose_event_into);
}

/// A class of answers: its name, and what makes plain values of one.
struct Kind {
  const char* name;
  bool (*matches)(const Answer&);
  void (*describe)(Fields&, const Answer&);
};

template <class T>
constexpr Kind kind(const char* name) {
  return {name, [](const Answer& a) { return dynamic_cast<const T*>(&a) != nullptr; },
          [](Fields& f, const Answer& a) { describe(f, dynamic_cast<const T&>(a)); }};
}

const Kind& kind_of(const Answer& answer) {
  static const Kind kinds[] = {
      kind<Simulation>("Simulation"),
      kind<Inversion>("Inversion"),
      kind<Analysis>("Analysis"),
      kind<Check>("Check"),
      kind<Explanation>("Explanation"),
      kind<Comparison>("Comparison"),
      kind<ControllerComparison>("ControllerComparison"),
      kind<InverseForms>("InverseForms"),
      kind<StableFormulations>("StableFormulations"),
      kind<MonteCarlo>("MonteCarlo"),
      kind<CExport>("CExport"),
      kind<SampledLoop>("SampledLoop"),
      kind<Branches>("Branches"),
      kind<RootLocus>("RootLocus"),
      kind<ClassMap>("ClassMap"),
      kind<Sensitivity>("Sensitivity"),
      kind<ZeroPathMap>("ZeroPathMap"),
      kind<ZeroSearch>("ZeroSearch"),
      kind<ControlDesign>("ControlDesign"),
      kind<ControllerDesigns>("ControllerDesigns"),
      kind<StartLinearisation>("StartLinearisation"),
      kind<MotionLinearisation>("MotionLinearisation"),
      kind<NormalForm>("NormalForm"),
      kind<ZeroDynamics>("ZeroDynamics"),
      kind<LinearMotion>("LinearMotion"),
      kind<LyapunovRegion>("LyapunovRegion"),
      kind<Pose>("Pose"),
      kind<PosePath>("PosePath"),
      kind<PoseBox>("PoseBox"),
  };
  for (const Kind& one : kinds)
    if (one.matches(answer)) return one;
  throw std::logic_error("an answer without a class");
}

}  // namespace

py::dict fields_of(const AnswerPointer& answer) {
  Fields fields(answer);
  kind_of(*answer).describe(fields, *answer);
  return fields.values();
}

std::string class_of(const Answer& answer) { return kind_of(answer).name; }

}  // namespace daedal::python
