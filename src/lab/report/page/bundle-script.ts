/** Bundles the script of the page. */
import { join } from 'node:path'

export const bundleScript = async (): Promise<string> => {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: join(import.meta.dirname, '..', 'browser', 'main.ts'),
    platform: 'browser',
  })
  try {
    const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false })
    // The code must not close its script element.
    return output[0].code.trim().replaceAll(/<(?=\/script|script|!--)/gi, '\\x3c')
  } finally {
    await bundle.close()
  }
}
