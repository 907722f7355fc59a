/** Checks the sources against architecture.json, prints the violations, and fails if there are any. */
import { join } from 'node:path'
import { findViolations } from './rooms/find-violations.ts'

const violations = findViolations(join(import.meta.dirname, '..'))
for (const violation of violations) console.error(violation)
if (violations.length > 0) console.error(`${violations.length} violations of the room rules`)
process.exitCode = violations.length > 0 ? 1 : 0
