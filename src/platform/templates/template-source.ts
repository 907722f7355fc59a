/** The sources of templates, compiled once. */
import { type CompiledTemplate, compileTemplate } from './compile/compile-template.ts'
import { PLUGINS } from './compile/plugin-registry.ts'
import { PythonError } from './python/python-error.ts'
import { escapeBackslashes } from './syntax/escape-backslashes.ts'
import { parseTemplate } from './syntax/parse-template.ts'
import { normaliseNewlines } from './syntax/tokenise.ts'
import { UnsupportedTemplate } from './template-error.ts'
import { MAX_TEMPLATE } from './work.ts'

export interface TemplateSource {
  /** The source with escaped backslashes, as Ansible prints it in messages. */
  readonly source: string
  readonly run: CompiledTemplate
}

const MAX_CACHED = 2000
const cache = new Map<string, TemplateSource>()

const compileSource = (text: string): TemplateSource => {
  if (text.length > MAX_TEMPLATE)
    throw new UnsupportedTemplate(`a template of more than ${MAX_TEMPLATE} characters`)
  if (text.startsWith('#jinja2:')) throw new UnsupportedTemplate('the line #jinja2: with settings')
  const source = escapeBackslashes(normaliseNewlines(text))
  try {
    return { source, run: compileTemplate(parseTemplate(source), PLUGINS) }
  } catch (error) {
    if (!(error instanceof PythonError)) throw error
    throw new PythonError(
      'AnsibleError',
      `template error while templating string: ${error.message}. String: ${source}. ${error.message}`,
    )
  }
}

/** Throws PythonError if the template is not valid. */
export const templateSource = (text: string): TemplateSource => {
  const known = cache.get(text)
  if (known !== undefined) return known
  const compiled = compileSource(text)
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!)
  cache.set(text, compiled)
  return compiled
}
