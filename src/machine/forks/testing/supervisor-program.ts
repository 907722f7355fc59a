/** A supervisor for tests. Arguments: the program of its forks, and a folder for the socket. Prints the processes of its forks, one of which hangs. */
import { startForks } from '../index.ts'

const [program, folder] = process.argv.slice(2)
const root = await startForks({
  program: program!,
  flags: ['--disable-warning=ExperimentalWarning'],
  environment: process.env,
  folder: folder!,
})
const branch = await root.fork('a')
const [hanging, idle] = await Promise.all([branch.fork('b'), branch.fork('c')])
hanging.send('hang')
console.log(JSON.stringify([root.pid, branch.pid, hanging.pid, idle.pid]))
