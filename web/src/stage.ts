// Where a mechanism is shown.

export interface Stage {
  /// Shows the mechanism at a time [s].
  show(t: number): void;
}

export const stageRatio = 0.62; // height over width
