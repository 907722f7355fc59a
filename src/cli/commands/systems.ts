/** `remedium systems`: the microservice systems there are. */
import { defineCommand } from '../define-command.ts'

export const systems = defineCommand({
  summary: 'List the microservice systems that a cluster can run',
  async run({ answer }) {
    const { listSystemNames, loadSystem } = await import('../../systems/index.ts')
    const all = await Promise.all(listSystemNames().map(loadSystem))
    const list = all.map(({ name, about, namespace, entryPoints }) => ({
      name,
      about,
      namespace,
      entryPoints,
    }))
    const width = Math.max(...list.map(({ name }) => name.length))
    answer({ systems: list }, list.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n'))
    return 0
  },
})
