/** `npm run bundle NAME`: builds a file of scripts/bundles/ that needs no other file. */
import { join } from 'node:path'
import { runProgram } from './programs/run-program.ts'

process.exitCode = runProgram('npm run bundle', join(import.meta.dirname, 'bundles'), process.argv.slice(2))
