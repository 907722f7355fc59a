/** A worker whose clock is an hour ahead while the file named by SET_CLOCK exists. Other processes are not affected. */
import { existsSync } from 'node:fs'
import { VALIDATION_WORKER } from '#lab/validation'

const HOUR_MS = 3_600_000
const realNow = Date.now
Date.now = () => realNow() + (existsSync(process.env.SET_CLOCK!) ? HOUR_MS : 0)

await import(VALIDATION_WORKER)
