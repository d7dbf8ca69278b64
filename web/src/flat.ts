// Pages of mechanisms in the plane, and of everything that is not drawn.
import { FlatStage } from "./flat_stage";
import { show } from "./show";

show((canvas, drawing) => new FlatStage(canvas, drawing));
