/** The entry of the single-file build of the gym: `node remedium-gym.mjs stdio --engine sim --suite easy`. */
import { runCommandLine } from '../../src/lab/cli/run-command-line.ts'
import { importEmbedded, PROGRAM_ARGUMENT } from './embedded-files.ts'

const [first, program] = process.argv.slice(2)
if (first === PROGRAM_ARGUMENT) await importEmbedded(`${import.meta.filename}/${program}`)
else
  process.exitCode = await runCommandLine(['gym', ...process.argv.slice(2)], {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })
