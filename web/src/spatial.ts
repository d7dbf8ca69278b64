// Pages of mechanisms in space; where a browser has no WebGL they are seen from one side.
import { FlatStage } from "./flat_stage";
import { seenFromOneSide } from "./projection";
import { show } from "./show";
import { SpatialStage } from "./spatial_stage";

show((canvas, drawing) => {
  try {
    return new SpatialStage(canvas, drawing);
  } catch {
    const other = canvas.cloneNode() as HTMLCanvasElement; // the first one may be taken by half a context
    canvas.replaceWith(other);
    return new FlatStage(other, seenFromOneSide(drawing));
  }
});
