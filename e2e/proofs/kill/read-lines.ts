/** Every whole line of a run's results, also those that later ones have replaced. */
import { existsSync, readFileSync } from 'node:fs'
import type { EpisodeResult } from '../../../src/spec/index.ts'

export const readLines = (path: string): EpisodeResult[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : []
