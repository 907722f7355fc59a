/** Converts a tool to the form of OpenAI's API, which trainers and ATIF use. */
import type { ToolDescription } from '#spec'

export const toToolDefinition = ({ name, about, input }: ToolDescription) => ({
  type: 'function',
  function: { name, description: about, parameters: input },
})
