/** Parses memory sizes of StressChaos: `256MB`, `1GiB`, `50%`. All units are powers of 1000. */

const POWERS: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4, p: 5 }

export type MemorySize = { bytes: number } | { percent: number }

/** Returns undefined if the size is invalid. An empty string means 100%. */
export const parseSize = (text: string): MemorySize | undefined => {
  if (text === '') return { percent: 100 }
  const percent = /^(\d+)%$/.exec(text)
  if (percent !== null) return Number(percent[1]) <= 100 ? { percent: Number(percent[1]) } : undefined
  const size = /^(\d+(?:\.\d+)?) ?([kmgtp]?)(?:i?b)?$/i.exec(text)
  if (size === null) return undefined
  return { bytes: Math.floor(Number(size[1]) * 1000 ** POWERS[size[2]!.toLowerCase()]!) }
}
