/** `npm run proof NAME`: runs a slow proof of e2e/proofs/. */
import { join } from 'node:path'
import { runProgram } from './programs/run-program.ts'

const FOLDER = join(import.meta.dirname, '..', 'e2e', 'proofs')
process.exitCode = runProgram('npm run proof', FOLDER, process.argv.slice(2))
