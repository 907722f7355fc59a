/** `npm run bench NAME`: runs a benchmark of bench/. */
import { join } from 'node:path'
import { runProgram } from './programs/run-program.ts'

const FOLDER = join(import.meta.dirname, '..', 'bench')
process.exitCode = runProgram('npm run bench', FOLDER, process.argv.slice(2))
