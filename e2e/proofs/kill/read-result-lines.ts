/** Reads every complete line of a run's results, including those that later lines replace. */
import { existsSync, readFileSync } from 'node:fs'
import type { EpisodeResult } from '#spec'

export const readResultLines = (path: string): EpisodeResult[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : []
