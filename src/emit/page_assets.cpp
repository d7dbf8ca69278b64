// The files themselves, by the assembler: a compiler would take minutes for a megabyte of numbers.
#include "page_assets.hpp"

#define DAEDAL_EMBED(name, file)                                                       \
  __asm__(                                                                             \
      ".pushsection .rodata, \"a\"\n"                                                  \
      ".globl " #name "_begin\n.hidden " #name                                         \
      "_begin\n"                                                                       \
      ".globl " #name "_end\n.hidden " #name "_end\n" #name "_begin:\n.incbin \"" file \
      "\"\n" #name "_end:\n.popsection\n");                                            \
  extern "C" const char name##_begin[], name##_end[]

DAEDAL_EMBED(daedal_page_style, DAEDAL_PAGE_STYLE);
DAEDAL_EMBED(daedal_browser_style, DAEDAL_PAGES "/browser.css");
DAEDAL_EMBED(daedal_flat_program, DAEDAL_PAGES "/flat.js");
DAEDAL_EMBED(daedal_spatial_program, DAEDAL_PAGES "/spatial.js");

namespace daedal::emit {

std::string_view page_style() { return {daedal_page_style_begin, daedal_page_style_end}; }
std::string_view browser_style() { return {daedal_browser_style_begin, daedal_browser_style_end}; }
std::string_view flat_program() { return {daedal_flat_program_begin, daedal_flat_program_end}; }
std::string_view spatial_program() {
  return {daedal_spatial_program_begin, daedal_spatial_program_end};
}

}  // namespace daedal::emit
