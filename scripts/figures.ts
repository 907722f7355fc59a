/** `npm run figures`: writes the figures of README.md from bench/results/, which `npm run bench NAME -- --record` writes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readResult } from '#bench'
import { writeFigures } from './figures/write-figures.ts'

const README = join(import.meta.dirname, '..', 'README.md')

const before = readFileSync(README, 'utf8')
const after = writeFigures(before, readResult)
if (after !== before) writeFileSync(README, after)
console.log(after === before ? 'README.md is up to date.' : 'README.md is updated.')
