/** The page's script as one text, made of the same functions that are tested here. */
import { join } from 'node:path'

export const bundleScript = async (): Promise<string> => {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: join(import.meta.dirname, '..', 'browser', 'main.ts'),
    platform: 'browser',
  })
  try {
    const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false })
    // Nothing in it may end the element that it stands in.
    return output[0].code.trim().replaceAll(/<(?=\/script|script|!--)/gi, '\\x3c')
  } finally {
    await bundle.close()
  }
}
