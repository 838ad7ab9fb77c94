/** A sentence of the API description: what stands in backticks is code. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change their order
      <code key={index} className="text-[0.93em]">
        {part}
      </code>
    ) : (
      part
    ),
  )
}
