/** A worker on a machine whose clock is an hour ahead while the file of SET_CLOCK is there; other processes do not notice. */
import { existsSync } from 'node:fs'
import { WORKER_PROGRAM } from '../../src/runs/index.ts'

const HOUR_MS = 3_600_000
const truth = Date.now
Date.now = () => truth() + (existsSync(process.env.SET_CLOCK!) ? HOUR_MS : 0)

await import(WORKER_PROGRAM)
