#include "robots/xml.hpp"

#include "daedal/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>

namespace daedal::robots {

namespace {

constexpr std::size_t max_depth = 100;                      // of elements in elements
constexpr std::size_t max_elements = std::size_t{1} << 20;  // of a document: each takes memory
constexpr std::size_t max_attributes = std::size_t{1}
                                       << 10;  // of an element: names are compared in pairs

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) {
  return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

class Reader {
 public:
  explicit Reader(const std::shared_ptr<const SourceFile>& source)
      : source_(source), text_(source->text()) {}

  XmlElement document() {
    skip_between_elements(true);
    if (at_ == text_.size()) fail(place(), "there is no element in this file", about_robots);
    XmlElement root = element();
    skip_between_elements(true);
    if (at_ != text_.size()) fail(place(), "a document has one element, which ended before this");
    return root;
  }

 private:
  static constexpr const char* about_robots =
      "a robot is described by  <robot name=\"...\"> ... </robot>";

  [[noreturn]] static void fail(Place where, std::string message, std::string help = {}) {
    throw ModelError({Severity::error, std::move(where), std::move(message), {}, std::move(help)});
  }

  // ---- places: characters are counted where a place is asked for, lines as the text is passed

  Place place(std::uint32_t length = 1) const { return place_at(at_, line_, line_start_, length); }
  Place place_at(std::size_t at, std::uint32_t line, std::size_t line_start,
                 std::uint32_t length) const {
    std::uint32_t column = 1;
    constexpr std::size_t longest =
        10000;  // of a line in which columns are counted: the count is repeated for every place
    if (at - line_start <= longest)
      for (std::size_t i = line_start; i < at; ++i)
        column += (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80;
    return {source_, line, column, length};
  }

  void advance(std::size_t count) {
    for (const std::size_t end = at_ + count; at_ < end; ++at_)
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
  }
  bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool done() const { return at_ == text_.size(); }
  void skip_space() {
    while (!done() && is_space(text_[at_])) advance(1);
  }

  // ---- what stands between elements

  void skip_to_end_of(std::string_view what, std::string_view start, std::string_view end) {
    const Place begin = place(static_cast<std::uint32_t>(start.size()));
    const std::size_t found = text_.find(end, at_ + start.size());
    if (found == std::string_view::npos)
      fail(begin, fmt::format("{} is not closed", what), fmt::format("it ends with  {}", end));
    advance(found + end.size() - at_);
  }

  void skip_document_type() {
    const Place begin = place(9);
    while (!done() && text_[at_] != '>') {
      if (text_[at_] == '[')
        fail(begin, "definitions inside a document are not read",
             "write what an entity stands for, and leave the DOCTYPE out");
      advance(1);
    }
    if (done()) fail(begin, "'<!DOCTYPE' is not closed");
    advance(1);
  }

  /// Comments, processing instructions and text; text outside of the document's element is a fault.
  void skip_between_elements(bool outside) {
    for (;;) {
      while (!done() && text_[at_] != '<') {
        if (outside && !is_space(text_[at_]))
          fail(place(), "this file is not XML: text stands outside of all elements", about_robots);
        if (text_[at_] == '\0')
          fail(place(), "this file is not XML: it contains a character with the code 0");
        advance(1);
      }
      if (at("<!--"))
        skip_to_end_of("this comment", "<!--", "-->");
      else if (at("<?"))
        skip_to_end_of("this instruction", "<?", "?>");
      else if (at("<![CDATA[") && !outside)
        skip_to_end_of("this text", "<![CDATA[", "]]>");
      else if (at("<!DOCTYPE") && outside)
        skip_document_type();
      else
        return;
    }
  }

  // ---- elements

  std::string name(const char* of_what) {
    const std::size_t start = at_;
    if (!done() && starts_name(text_[at_]))
      while (!done() && continues_name(text_[at_])) ++at_;
    if (at_ == start) {
      const bool end = done();
      fail(place(),
           fmt::format("the name of {} is missing{}", of_what, end ? ": the file ends here" : ""));
    }
    return std::string(text_.substr(start, at_ - start));
  }

  XmlElement opening_tag(bool& closed) {
    XmlElement made;
    advance(1);  // '<'
    if (++elements_ > max_elements)
      fail(place(), fmt::format("a document has at most {} elements", max_elements));
    const std::size_t start = at_;
    made.name = name("an element");
    made.place = place_at(start, line_, line_start_, static_cast<std::uint32_t>(made.name.size()));
    for (;;) {
      const std::size_t before = at_;
      skip_space();
      if (at("/>")) {
        advance(2);
        closed = true;
        return made;
      }
      if (at(">")) {
        advance(1);
        closed = false;
        return made;
      }
      if (done()) fail(made.place, fmt::format("the tag '<{}' is not closed", made.name));
      if (before == at_) fail(place(), "a blank, '>' or '/>' is expected here");
      attribute(made);
    }
  }

  void attribute(XmlElement& owner) {
    XmlAttribute made;
    made.place = place();
    made.name = name("an attribute");
    made.place.length = static_cast<std::uint32_t>(made.name.size());
    if (owner.attribute(made.name) != nullptr)
      fail(made.place, fmt::format("'{}' is given twice in <{}>", made.name, owner.name));
    if (owner.attributes.size() == max_attributes)
      fail(made.place, fmt::format("an element has at most {} attributes", max_attributes));
    skip_space();
    if (!at("=")) fail(place(), fmt::format("'=' is expected after the attribute '{}'", made.name));
    advance(1);
    skip_space();
    if (!at("\"") && !at("'"))
      fail(place(), fmt::format("the value of '{}' stands in quotes", made.name),
           fmt::format("write  {}=\"...\"", made.name));
    const char quote = text_[at_];
    const Place opening = place();
    advance(1);
    made.value_place = place();
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos)
      fail(opening, fmt::format("the value of '{}' is not closed", made.name));
    made.value_place.length = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(std::min(end, text_.find('\n', at_)) - at_, 1, 1000));
    while (at_ < end) {
      if (text_[at_] == '<')
        fail(opening, fmt::format("the value of '{}' is not closed", made.name),
             "a '<' in a value is written  &lt;");
      if (text_[at_] == '&') {
        made.value += reference(end);
      } else {
        made.value += is_space(text_[at_]) ? ' ' : text_[at_];
        advance(1);
      }
    }
    advance(1);
    owner.attributes.push_back(std::move(made));
  }

  /// &lt; and the like, and &#228;
  std::string reference(std::size_t end) {
    const Place start = place();
    const std::size_t stop = text_.find(';', at_);
    if (stop == std::string_view::npos || stop >= end)
      fail(start, "'&' starts a character reference, which ends with ';'",
           "the character itself is written  &amp;");
    const std::string_view what = text_.substr(at_ + 1, stop - at_ - 1);
    advance(stop + 1 - at_);
    static constexpr std::array<std::pair<std::string_view, char>, 5> known{
        {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
    for (const auto& [name, character] : known)
      if (what == name) return {character};
    if (what.starts_with('#')) {
      const bool hexadecimal = what.starts_with("#x");
      const std::string_view digits = what.substr(hexadecimal ? 2 : 1);
      std::uint32_t code = 0;
      const auto [last, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), code,
                                                 hexadecimal ? 16 : 10);
      const bool whole = fault == std::errc{} && last == digits.data() + digits.size();
      const bool character = code > 0 && code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
      if (whole && !digits.empty() && character) return utf8(code);
    }
    fail(start, fmt::format("there is no entity '&{};'", what.substr(0, 40)),
         "known are &lt; &gt; &amp; &quot; &apos; and numbers such as &#228;");
  }

  static std::string utf8(std::uint32_t code) {
    std::string bytes;
    const auto tail = [&](int shift) {
      bytes += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
    };
    if (code < 0x80) {
      bytes += static_cast<char>(code);
    } else if (code < 0x800) {
      bytes += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      bytes += static_cast<char>(0xE0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      bytes += static_cast<char>(0xF0 | (code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
    return bytes;
  }

  /// Without recursion but for the depth that is allowed.
  XmlElement element() {
    if (depth_ == max_depth)
      fail(place(), fmt::format("elements are nested deeper than {} levels", max_depth));
    ++depth_;
    bool closed = false;
    XmlElement made = opening_tag(closed);
    while (!closed) {
      skip_between_elements(false);
      if (done()) fail(made.place, fmt::format("<{}> is not closed", made.name));
      if (at("</")) {
        advance(2);
        const Place start = place();
        const std::string ended = name("an element");
        if (ended != made.name)
          fail(start, fmt::format("</{}> does not close <{}> on line {}", ended, made.name,
                                  made.place.line));
        skip_space();
        if (!at(">")) fail(place(), fmt::format("'>' is expected after '</{}'", ended));
        advance(1);
        closed = true;
      } else if (at("<!")) {
        fail(place(2), "this is no element, comment or text of XML");
      } else {
        made.children.push_back(element());
      }
    }
    --depth_;
    return made;
  }

  std::shared_ptr<const SourceFile> source_;
  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
  std::size_t depth_ = 0, elements_ = 0;
};

}  // namespace

const XmlAttribute* XmlElement::attribute(std::string_view wanted) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const XmlAttribute& a) { return a.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

const XmlElement* XmlElement::child(std::string_view wanted) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const XmlElement& e) { return e.name == wanted; });
  return found == children.end() ? nullptr : &*found;
}

XmlElement read_xml(const std::shared_ptr<const SourceFile>& source) {
  return Reader(source).document();
}

}  // namespace daedal::robots
