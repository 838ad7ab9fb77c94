const isSentence = (text) => / /.test(text)

/** Sentences for people stand in the contract alone and are compared with themselves: changing one tells nothing. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'sentences',
    value: {
      shouldIgnore: ({ node }) =>
        (node.type === 'StringLiteral' && isSentence(node.value)) ||
        (node.type === 'TemplateLiteral' && node.quasis.some(({ value }) => isSentence(value.raw)))
          ? 'A sentence for people'
          : undefined,
    },
  },
]
