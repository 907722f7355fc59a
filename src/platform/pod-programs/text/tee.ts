/** tee: copies its input to files. */
import { encodeText, writeAll } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, reasonOf } from '../pod-program.ts'

export const tee: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, { flags: 'ai' })
  const text = call.host.input
  call.out(text)
  let code = 0
  for (const path of operands) {
    try {
      const file = await call.files.open(call.resolve(path), options.has('a') ? 'append' : 'replace')
      await writeAll(file, encodeText(text), 0).finally(() => file.close())
    } catch (error) {
      call.complain(`${path}: ${reasonOf(error)}`)
      code = 1
    }
  }
  return code
}
