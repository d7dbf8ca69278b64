#include "compile/mapped_kernel.hpp"

#include "compile/native_module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace daedal::compile {
namespace {

using expr::Expr;
using expr::Family;
using expr::Leaf;
using expr::Op;

// Keys of loads while a shape is lowered: gathers by column, uniforms above.
constexpr std::uint32_t first_uniform_key = 1u << 31;

// Whether each node of the shape has one value for all instances: constants, and leaves whose slot always denotes the
// same symbol, and what is made of them.
std::vector<bool> uniform_nodes(const Family& family) {
  std::vector<bool> uniform_slot(family.slots, true);
  for (std::uint32_t i = 1; i < family.instances; ++i) {
    for (std::uint32_t s = 0; s < family.slots; ++s)
      uniform_slot[s] = uniform_slot[s] && family.symbol(i, s) == family.symbol(0, s);
  }
  std::vector<bool> uniform(family.graph->size());
  for (std::uint32_t id = 0; id < uniform.size(); ++id) {
    const expr::Node& node = family.graph->node({id});
    const std::uint32_t children[] = {node.a, node.b, node.c};
    uniform[id] = node.op != Op::leaf || uniform_slot[node.a];
    for (int k = 0; k < arity(node.op); ++k) uniform[id] = uniform[id] && uniform[children[k]];
  }
  return uniform;
}

expr::LeafMap instance_map(const Family& family, std::uint32_t instance, expr::Graph& to) {
  return [&family, instance, &to](Leaf leaf) -> std::optional<Expr> {
    return to.leaf({family.symbol(instance, leaf.symbol), leaf.order});
  };
}

std::uint32_t position_of(const Layout& layout, Leaf leaf) {
  const std::uint32_t position = layout.find(leaf);
  if (position == absent)
    throw std::invalid_argument(fmt::format("symbol {}, derivative {}, has no place in the layout",
                                            leaf.symbol, leaf.order));
  return position;
}

// The places of one load or output, instance by instance.
using Places = std::vector<std::uint32_t>;

bool consecutive(const Places& places, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (places[i] == dropped_row || places[i] != places[0] + i) return false;
  }
  return true;
}

}  // namespace

bool runs_in_lanes(const Family& family) { return !family.identity() && family.instances >= lanes; }

// Collects the straight line and the parts while it walks through the families.
struct MappedKernel::Builder {
  MappedKernel& kernel;
  const Layout& layout;
  const Options& options;
  expr::Graph graph{};
  std::vector<Expr> outputs{};  // of the straight line

  std::uint32_t output(Expr e) {
    outputs.push_back(e);
    return static_cast<std::uint32_t>(outputs.size() - 1);
  }

  void add_straight(const Family& family, std::uint32_t first_row) {
    Part part;
    for (std::uint32_t i = 0; i < family.instances; ++i) {
      const std::vector<Expr> values =
          expr::copy(*family.graph, family.outputs, graph, instance_map(family, i, graph));
      for (std::uint32_t k = 0; k < values.size(); ++k) {
        if (family.row(i, k) != Family::no_row)
          part.additions.push_back({first_row + family.row(i, k), output(values[k])});
      }
    }
    kernel.parts_.push_back(std::move(part));
  }

  void add_lanes(const Family& family, std::uint32_t first_row) {
    std::vector<Leaf> gathered;
    std::vector<Expr> common;
    auto code = std::make_shared<Lanes>(lower_shape(family, gathered, common));
    code->full_strips = family.instances / strip;
    code->rest_instances = family.instances % strip;
    const std::vector<Places> reads = places_read(family, gathered),
                              rows = places_added(family, first_row);
    const std::vector<Expr> copied =
        expr::copy(*family.graph, common, graph, instance_map(family, 0, graph));
    std::vector<std::uint32_t> common_output;
    for (Expr e : copied) common_output.push_back(output(e));
    code->full = access(code->program, reads, rows, common_output, 0, code->full_strips * strip);
    code->rest = access(code->program, reads, rows, common_output, code->full_strips * strip,
                        family.instances);
    code->request.program = &code->program;
    code->request.vector = true;
    code->request.loads = code->full_strips > 0 ? code->full.loads : code->rest.loads;
    if (code->full_strips == 0) code->request.instances = family.instances;
    code->request.chunk = options.chunk;
    code->request.calls = native_calls();
    kernel.operations_ += code->program.code.size() * family.instances;

    Part part;
    part.lanes = code;
    part.tier = std::make_unique<NativeTier>(
        std::shared_ptr<const NativeRequest>(code, &code->request), options.backend,
        code->program.code.size() * family.instances / lanes);
    kernel.parts_.push_back(std::move(part));
  }

  // What instances have in common is read as a uniform, leaves that differ are gathered.
  static Program lower_shape(const Family& family, std::vector<Leaf>& gathered,
                             std::vector<Expr>& common) {
    const std::vector<bool> uniform = uniform_nodes(family);
    return lower(*family.graph, family.outputs, [&](Expr e) -> std::optional<Load> {
      if (uniform[e.id]) {
        common.push_back(e);
        return Load{first_uniform_key + static_cast<std::uint32_t>(common.size() - 1), false};
      }
      if (family.graph->node(e).op != Op::leaf) return std::nullopt;
      gathered.push_back(family.graph->leaf_of(e));
      return Load{static_cast<std::uint32_t>(gathered.size() - 1), false};
    });
  }

  std::vector<Places> places_read(const Family& family, const std::vector<Leaf>& gathered) const {
    std::vector<Places> places;
    for (const Leaf leaf : gathered) {
      Places& of_leaf = places.emplace_back();
      for (std::uint32_t i = 0; i < family.instances; ++i)
        of_leaf.push_back(position_of(layout, {family.symbol(i, leaf.symbol), leaf.order}));
    }
    return places;
  }

  static std::vector<Places> places_added(const Family& family, std::uint32_t first_row) {
    std::vector<Places> places;
    for (std::size_t k = 0; k < family.outputs.size(); ++k) {
      Places& of_output = places.emplace_back();
      for (std::uint32_t i = 0; i < family.instances; ++i) {
        const std::uint32_t row = family.row(i, k);
        of_output.push_back(row == Family::no_row ? dropped_row : first_row + row);
      }
    }
    return places;
  }

  // Instances [begin, end) as strips: consecutive places by stride, others through the index table.
  static Access access(const Program& program, const std::vector<Places>& reads,
                       const std::vector<Places>& rows,
                       const std::vector<std::uint32_t>& common_output, std::uint64_t begin,
                       std::uint64_t end) {
    Access access;
    const bool whole = (end - begin) % strip == 0;
    std::vector<const Places*> columns;
    const auto column = [&](const Places& places) {
      columns.push_back(&places);
      return static_cast<std::uint32_t>(columns.size() - 1);
    };
    const auto strides = [&](const Places& places) {
      return begin == 0 && whole && consecutive(places, end);
    };
    for (const std::uint32_t key : program.loads) {
      if (key >= first_uniform_key) {
        access.loads.push_back({NativeRead::From::uniform, common_output[key - first_uniform_key]});
      } else if (strides(reads[key])) {
        access.loads.push_back({NativeRead::From::stride, reads[key].front()});
      } else {
        access.loads.push_back({NativeRead::From::gather, column(reads[key])});
      }
    }
    const std::size_t first_output = columns.size();
    for (const Places& places : rows) {
      const bool by_stride = strides(places);
      access.outputs.push_back({by_stride, by_stride ? places.front() : column(places)});
    }
    access.columns = static_cast<std::uint32_t>(columns.size());
    for (std::uint64_t first = begin; first < end; first += strip) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::uint64_t i = first; i < first + strip; ++i) {
          const bool repeated = i >= end;
          access.indices.push_back(
              repeated && c >= first_output ? dropped_row : (*columns[c])[repeated ? end - 1 : i]);
        }
      }
    }
    return access;
  }
};

MappedKernel::MappedKernel(std::span<const expr::Function> functions, const Layout& layout,
                           const Options& options) {
  Builder builder{*this, layout, options};
  for (const expr::Function& f : functions) {
    for (const Family& family : f.families) {
      if (runs_in_lanes(family)) {
        builder.add_lanes(family, rows_);
      } else {
        builder.add_straight(family, rows_);
      }
    }
    rows_ += f.rows;
  }
  straight_ = std::make_unique<StraightKernel>(
      lower(builder.graph, builder.outputs, point_source(builder.graph, layout)), options);
  operations_ += straight_->operations();

  straight_rows_ = straight_->scratch();
  scratch_ = straight_rows_ + straight_->rows();
  for (Part& part : parts_) {
    part.scratch = scratch_;
    if (part.lanes) scratch_ += part.lanes->tape.scratch();
  }
}

Workspace MappedKernel::workspace() const {
  Workspace work;
  work.values.resize(scratch_);
  straight_->initialize(work.values.data());
  for (const Part& part : parts_) {
    if (part.lanes) part.lanes->tape.initialize(work.values.data() + part.scratch);
  }
  return work;
}

void MappedKernel::prepare(const double* point, Workspace& work) const {
  straight_->prepare(point, work);
}

void MappedKernel::evaluate(const double* point, double* rows, Workspace& work) const {
  double* const values = work.values.data();
  double* const straight_rows = values + straight_rows_;
  straight_->evaluate(point, straight_rows, work);
  std::fill_n(rows, rows_, 0.0);
  for (const Part& part : parts_) {
    for (const auto& [row, output] : part.additions) rows[row] += straight_rows[output];
    if (part.lanes) add_lanes(part, point, rows, straight_rows, values + part.scratch);
  }
}

// The last strip is not full: its index table repeats the last instance. It stays on the tape, unless it is the only one.
void MappedKernel::add_lanes(const Part& part, const double* point, double* rows,
                             const double* uniforms, double* scratch) {
  const Lanes& code = *part.lanes;
  const NativeCode* const native = part.tier->code();
  const std::uint32_t* indices = code.full.indices.data();
  for (std::uint64_t number = 0; number < code.full_strips; ++number) {
    if (native) {
      for (const NativeFunction function : native->functions)
        function(point, rows, scratch, uniforms, indices, number);
    } else {
      code.tape.compute(point, uniforms, code.full.loads, indices, number, scratch);
    }
    code.tape.scatter(scratch, code.full.outputs, indices, number, strip, rows);
    indices += std::size_t{code.full.columns} * strip;
  }
  if (!native) part.tier->count_tape_evaluation();
  if (code.rest_instances == 0) return;
  indices = code.rest.indices.data();
  if (native && code.full_strips == 0) {
    for (const NativeFunction function : native->functions)
      function(point, rows, scratch, uniforms, indices, 0);
  } else {
    code.tape.compute(point, uniforms, code.rest.loads, indices, 0, scratch);
  }
  code.tape.scatter(scratch, code.rest.outputs, indices, 0, code.rest_instances, rows);
}

Backend MappedKernel::running() const {
  const bool native = straight_->running() == Backend::native &&
                      std::all_of(parts_.begin(), parts_.end(),
                                  [](const Part& part) { return !part.tier || part.tier->code(); });
  return native ? Backend::native : Backend::tape;
}

bool MappedKernel::wait_native() const {
  bool native = straight_->wait_native();
  for (const Part& part : parts_) native = (!part.tier || part.tier->wait()) && native;
  return native;
}

}  // namespace daedal::compile
