// Two programs, each one file: flat.js for mechanisms in the plane, spatial.js with three.js for those in space.
import { defineConfig, type Plugin } from "vite";

/// KaTeX names every font in three formats and twenty families. Browsers take the first format; Daedal's formulas need these
/// families.
const families =
  /KaTeX_(Main-Regular|Main-Bold|Main-Italic|Math-Italic|AMS-Regular|Size[1-4]-Regular)\.woff2/;

function fewerFonts(): Plugin {
  return {
    name: "fewer-fonts",
    enforce: "pre",
    transform(css, id) {
      if (!id.includes("katex")) return null;
      if (!id.endsWith(".css")) return null;
      const faces = css.replace(/@font-face\s*\{[^}]*\}/g, (face) => {
        if (!families.test(face)) return "";
        return face.replace(/(url\([^)]*\.woff2\)\s*format\("woff2"\))[^;}]*/, "$1");
      });
      return { code: faces, map: null };
    },
  };
}

export default defineConfig(({ mode }) => ({
  plugins: [fewerFonts()],
  build: {
    target: "es2020",
    outDir: `dist/${mode}`,
    assetsInlineLimit: 1_000_000,
    cssCodeSplit: false,
    lib: { entry: `src/${mode}.ts`, formats: ["iife"], name: "page", fileName: () => `${mode}.js` },
    rollupOptions: { output: { assetFileNames: "style.css" } },
  },
}));
