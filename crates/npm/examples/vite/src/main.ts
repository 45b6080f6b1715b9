import { train, type Event, type Run, type Settings } from "strata-attention";

const settings: Settings = { preset: "copy", "model.width": 32, "training.steps": 60 };

/** A line about an event, or none. */
function line(event: Event): string | undefined {
  if ("progress" in event) return undefined;
  if ("validated" in event) return `step ${event.validated.step}: loss ${event.validated.loss.toFixed(3)}`;
  if ("activity" in event) return event.activity.activity;
  return undefined;
}

async function main(log: (text: string) => void): Promise<void> {
  const run: Run = await train({ ...settings, device: "cpu" });
  for await (const event of run) {
    const text = line(event);
    if (text !== undefined) log(text);
  }
  const { text, sites } = await run.translate("a b c");
  log(`a b c → ${text} (${sites.length} sites)`);
  run.stop();
}

const log = document.querySelector("#log")!;
main((text) => log.append(`${text}\n`)).catch((error: Error) => log.append(`failed: ${error.message}\n`));
