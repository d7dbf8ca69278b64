// A drawing in space seen from one side, without perspective: z up.
import type { Drawing } from "./data";

const azimuth = Math.PI / 6;
const elevation = Math.PI / 9;

export function seenFromOneSide(drawing: Drawing): Drawing {
  const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
  const numbers = drawing.numbers.slice();
  for (let base = 0; base < numbers.length; base += drawing.width)
    for (const shape of drawing.shapes)
      for (let p = 0; p < shape.points; ++p) {
        // the third number of a point stays where it is and is not looked at
        const at = base + shape.first + 3 * p;
        const [x, y, z] = [numbers[at], numbers[at + 1], numbers[at + 2]];
        numbers[at] = ca * x + sa * y;
        numbers[at + 1] = ce * z + se * (ca * y - sa * x);
        numbers[at + 2] = 0;
      }
  return { ...drawing, numbers };
}
