import type {
  AnswerOutput, Activity, Event, Part, PresetName, PresetOutline, Ready, TranslationView, Validation, View,
  ViewUpdate,
} from "./protocol.js";

export type * from "./protocol.js";

/** A value of a setting; a text is read as in an address. */
export type Value = string | number | boolean | null | Value[];

/** Settings of an experiment, with the keys of addresses: `{ preset: "copy", "model.width": 64 }`. */
export type Settings = {
  /** The experiment to begin with. */
  preset?: PresetName;
  /** Seed of parameters and data. */
  seed?: number | string;
} & { [key in `${"task" | "model" | "training"}.${string}`]?: Value };

/** How a run is computed. */
export interface Options {
  /** Device that computes; the default is the CPU. */
  device?: "cpu" | "webgpu";
  /** 1 for a single thread; otherwise as many as page and processor allow. */
  threads?: number;
  /** Folder of the workers' files, if it is not the one beside the package's script. */
  workers?: string | URL;
  /** False to prepare the run without training it. */
  start?: boolean;
  /** Ends the run when it is aborted. */
  signal?: AbortSignal;
}

/** A view of a held-out example. */
export type ViewOf =
  | {
    /** Name of an attention site, such as `decoder.0.cross`. */
    attention: string;
    /** Head, from 0; the mean of all heads if absent. */
    head?: number;
    /** Level, from 1; the last if absent. */
    level?: number;
    /** Index of the held-out example, from 0. */
    example?: number;
  }
  | {
    /** The view in the protocol's words. */
    view: View;
    /** Index of the held-out example, from 0. */
    example?: number;
  };

/** How a translation is searched for. */
export interface TranslateOptions {
  /** Tokens with which the target begins. */
  prefix?: string[];
  /** Search and its settings, such as `{ kind: "beam", width: 5 }`; greedy if absent. */
  search?: { [key: string]: unknown };
  /** True to report the search as well. */
  details?: boolean;
}

/** A run of an experiment, in a worker of its own. Iterating over it gives its events up to its end. */
export class Run implements AsyncIterable<Event> {
  private constructor();
  /** Number of steps taken. */
  readonly step: number;
  /** Number of steps of the whole run, as far as it is known. */
  readonly steps: number | undefined;
  /** What the run does. */
  readonly activity: Activity;
  /** The prepared experiment. */
  readonly ready: Ready | null;
  /** Name of the device that computes, such as `CPU (flex, 4 threads)`. */
  readonly device: string;
  /** Number of threads that compute. */
  readonly threads: number;
  /** Sentences on how the run is computed, such as why with a single thread. */
  readonly notes: string[];
  /** True once the run was stopped or lost: it answers nothing any more. */
  readonly ended: boolean;
  /** The last view, if one was asked for. */
  readonly lastView: ViewUpdate | null;

  /** Goes on training. */
  resume(): Promise<void>;
  /** Stops after the present step. */
  pause(): Promise<void>;
  /** Takes a single step. */
  advance(): Promise<void>;
  /** Ends the run and its worker at once; what was not saved is lost. */
  stop(): void;
  /** Translates a sentence, or writes on from a text. */
  translate(text: string, options?: TranslateOptions): Promise<TranslationView>;
  /** Answers a question about a passage. */
  answer(question: string, passage: string): Promise<AnswerOutput>;
  /** Shows a view, now and in the events while training; null shows no more views. */
  view(request: ViewOf): Promise<ViewUpdate>;
  view(request: null): Promise<null>;
  /** Measures the held-out examples. */
  validate(): Promise<Validation>;
  /** Mutes these parts of the model and unmutes all others. */
  mute(parts: Part[]): Promise<{ parts: Part[]; validation?: Validation }>;
  /** Makes a checkpoint file, which the playground, the command line and `open` read. */
  checkpoint(): Promise<Uint8Array>;

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined>;
}

/**
 * Trains an experiment; resolves when it is prepared and, unless `start` is false, training. A text has the form of an
 * address: `"preset=copy&model.width=64"`.
 */
export function train(settings?: (Settings & Options) | string): Promise<Run>;

/** Opens a checkpoint file; the run is paused unless `start` is true. */
export function open(checkpoint: Uint8Array | ArrayBuffer | Blob, options?: Options): Promise<Run>;

/** Lists the presets. */
export function presets(): Promise<PresetOutline[]>;
