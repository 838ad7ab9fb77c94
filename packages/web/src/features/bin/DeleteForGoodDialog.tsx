import { type BinItem, binNouns } from '@slipway/contract'
import { useDeleteForGood } from '../../api/bin.ts'
import { goesAlongText } from './bin-words.ts'
import { ForGoodQuestion } from './ForGoodQuestion.tsx'

/** Before something in the bin of a project is deleted for good. */
export function DeleteForGoodDialog({ item, onClose }: { item: BinItem; onClose: () => void }) {
  const { mutateAsync } = useDeleteForGood()
  return (
    <ForGoodQuestion
      noun={binNouns[item.kind]}
      name={item.name}
      along={goesAlongText(item)}
      call="bin.delete"
      act={() => mutateAsync(item)}
      onClose={onClose}
    />
  )
}
