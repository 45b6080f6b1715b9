import type { Run } from "./index.js";

/**
 * `<strata-run preset="copy" view="decoder.0.cross" settings="model.width=64">`: a run with its curve, a view of its
 * attention and a field to try it. Importing this module defines the element.
 */
export class StrataRun extends HTMLElement {
  /** The run, once the reader has started it. */
  readonly run: Run | null;
  /** Starts the run, or goes on with it. */
  start(): Promise<void>;
  /** Pauses the run after the present step. */
  pause(): Promise<void>;
}

declare global {
  interface HTMLElementTagNameMap {
    "strata-run": StrataRun;
  }
}
