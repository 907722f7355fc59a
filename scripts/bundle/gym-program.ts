/** The entry of the single-file build of the gym: `node remedium-gym.mjs stdio --engine sim --suite easy`. */
import { importEmbedded, PROGRAM_ARGUMENT } from './embedded-files.ts'

const importFile = (path: string): Promise<any> => importEmbedded(`${import.meta.filename}/${path}`)

const [first, program] = process.argv.slice(2)
if (first === PROGRAM_ARGUMENT) await importFile(program!)
else {
  const { runCommandLine } = await importFile('src/lab/cli/run-command-line.ts')
  process.exitCode = await runCommandLine(['gym', ...process.argv.slice(2)], {
    out: (text: string) => process.stdout.write(text),
    err: (text: string) => process.stderr.write(text),
  })
}
