-- A real Neovim, with the settings of the documentation: findings, their story, the fix applied in the buffer, and the
-- findings gone.
vim.o.hidden = true
vim.cmd('edit ' .. vim.env.FILE)
local function wait(count)
  return vim.wait(60000, function() return #vim.diagnostic.get(0) == count end, 20)
end
local function tell(text) io.stdout:write(text .. '\n') end
if not wait(1) then tell('no diagnostic') vim.cmd('cq') end
local found = vim.diagnostic.get(0)[1]
local lsp = found.user_data and found.user_data.lsp or {}
tell(string.format('%d:%d %s %d related', found.lnum + 1, found.col + 1, tostring(lsp.code or found.code), #(lsp.relatedInformation or {})))
local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]
local at = { found.lnum + 1, found.col }
local params = vim.lsp.util.make_given_range_params(at, at, 0, client.offset_encoding)
params.context = { diagnostics = {} }
for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 60000)) do
  tell(answer.result[1].title)
  vim.lsp.util.apply_workspace_edit(answer.result[1].edit, client.offset_encoding)
end
if not wait(0) then tell('still there') vim.cmd('cq') end
tell(vim.api.nvim_buf_get_lines(0, found.lnum, found.lnum + 1, false)[1])
vim.cmd('qa!')
