/** What a bad release does wrong in answering requests, and in the background. */
import type { Behaviour, Defect } from '../../spec/index.ts'

type Kind = Defect['kind']

export const findDefect = <K extends Kind>(
  { defects }: Behaviour,
  kind: K,
): Extract<Defect, { kind: K }> | undefined =>
  defects?.find((defect): defect is Extract<Defect, { kind: K }> => defect.kind === kind)

const SLOW_MS = 700
const LEAK_KIB_PER_REQUEST = 64
const LEAK_KIB_PER_SECOND = 8192

/** What kubelets ask: it goes well in bad releases, too, or they would never be rolled out. */
export const isHealthEndpoint = (endpoint: string): boolean =>
  /health|\bping\b|\bready\b|\blive/i.test(endpoint)

/** The first by name where the release names none. */
const failingEndpoint = (behaviour: Behaviour): string | undefined => {
  const defect = findDefect(behaviour, 'failing-endpoint')
  if (defect === undefined) return undefined
  const names = Object.keys(behaviour.endpoints ?? {}).filter((name) => !isHealthEndpoint(name))
  return defect.endpoint ?? names.sort()[0]
}

/** Never given back. */
const lost: Buffer[] = []

/** Written to, because memory that nobody has written to is none. */
const lose = (kib: number): void => {
  if (kib > 0) lost.push(Buffer.alloc(kib * 1024, 1))
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Before each request; says why it fails, where it does. */
export const createRequestDefects = (
  behaviour: Behaviour,
): ((endpoint: string) => Promise<string | undefined>) | undefined => {
  const slow = findDefect(behaviour, 'slow')
  const leak = findDefect(behaviour, 'leak')
  const failing = failingEndpoint(behaviour)
  if (slow === undefined && leak === undefined && failing === undefined) return undefined
  return async (endpoint) => {
    if (leak !== undefined) lose(leak.kibPerRequest ?? LEAK_KIB_PER_REQUEST)
    if (slow !== undefined && !isHealthEndpoint(endpoint)) await sleep(slow.ms ?? SLOW_MS)
    return endpoint === failing ? 'unexpected null value' : undefined
  }
}

const HOT_AFTER_MS = 3000
const HOT_BUSY_MS = 40
const HOT_PAUSE_MS = 10

const spin = (): void => {
  const until = performance.now() + HOT_BUSY_MS
  while (performance.now() < until);
  setTimeout(spin, HOT_PAUSE_MS)
}

/** Begins what a bad release does in the background. */
export const beginBackgroundDefects = (behaviour: Behaviour): void => {
  if (findDefect(behaviour, 'hot-loop') !== undefined) setTimeout(spin, HOT_AFTER_MS)
  const leak = findDefect(behaviour, 'leak')
  if (leak !== undefined) setInterval(() => lose(leak.kibPerSecond ?? LEAK_KIB_PER_SECOND), 1000)
}
