/** `npm run proof kubectl`: the commands that everybody uses, with every kubectl to be had; the tests take some of them. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const { status } = spawnSync(
  join(import.meta.dirname, '..', '..', 'remedium'),
  ['test', 'e2e/kubectl/every-version'],
  { stdio: 'inherit', env: { ...process.env, REMEDIUM_EVERY_KUBECTL: 'yes' } },
)
process.exitCode = status ?? 1
