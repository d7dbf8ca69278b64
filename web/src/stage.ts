// Where a mechanism is shown.

export interface Stage {
  /// Shows the mechanism at a time [s].
  show(t: number): void;
  /// Whether the mechanism travels so far that a camera may go with it.
  readonly travels: boolean;
  /// Whether the camera goes with it now.
  following: boolean;
}

export const stageRatio = 0.62; // height over width
