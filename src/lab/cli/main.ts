/** The entry point of the command line. */
import { shortenStart } from '#lab/start'

shortenStart()
const { runCommandLine } = await import('./run-command-line.ts')
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has closed the pipe, as in `remedium --help | head -1`.
  if (error.code === 'EPIPE') process.exit()
  throw error
})
process.exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
