/** Tests that every text has enough contrast, in light and in dark mode. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const text = readFileSync(join(import.meta.dirname, 'style', 'base.css'), 'utf8')
const [light = {}, dark = {}] = [...text.matchAll(/:root \{([^}]*)\}/g)].map(
  ([, body = '']): Record<string, string> =>
    Object.fromEntries(
      [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]),
    ),
)

const luminance = (colour: string): number => {
  const [red, green, blue] = [1, 3, 5].map((from) => {
    const part = Number.parseInt(colour.slice(from, from + 2), 16) / 255
    return part <= 0.039_28 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

const contrast = (first: string, second: string): number => {
  const [bright, dim] = [luminance(first), luminance(second)].sort((a, b) => b - a)
  return (bright! + 0.05) / (dim! + 0.05)
}

/** Pairs of text colour and background. */
const PAIRS = [
  ...['ground', 'panel', 'sunk'].flatMap((ground) => [`ink ${ground}`, `quiet ${ground}`]),
  ...['good', 'bad', 'void', 'warn'].map((name) => `${name} ${name}-soft`),
  ...['accent', 'good', 'warn'].map((name) => `${name} sunk`),
  ...['bad panel', 'warn panel', 'good panel'],
]

describe.each([
  ['light', light],
  ['dark', dark],
])('%s colours', (_, colours) => {
  it.each(PAIRS)('%s has a contrast of at least 4.5', (pair) => {
    const [text, ground] = pair.split(' ').map((name) => colours[name]!)
    expect(contrast(text!, ground!)).toBeGreaterThanOrEqual(4.5)
  })
})
