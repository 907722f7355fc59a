/** Where the process starts: the compile cache comes first, so that every later start is quick. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
enableCompileCache(join(root, '.remedium', 'compile-cache'))

const { runCommandLine } = await import('./run-command-line.ts')
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // the reader went away, as in `remedium --help | head -1`
  if (error.code === 'EPIPE') process.exit()
  throw error
})
process.exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
