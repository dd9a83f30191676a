"""What libraries keep and give: tensors that somebody else reads, or that backward needs.

Where a library is installed, it runs each program, as written and cured: they must differ where something is found.
"""

from __future__ import annotations

import pytest
from called_back import Program

from inplace_lint import lint_source

pytest.importorskip("torch")

DIFFERENTIATED = """import torch
IMPORTS

def result():
    torch.manual_seed(0)
    x = torch.rand(1, 1, 8, 8, requires_grad=True)
    y = MADE
    LINE
    y.sum().backward()
    return x.grad

if __name__ == "__main__":
    result()
"""


METRICS = """import torch
from torchmetrics import CatMetric, MetricCollection
from torchmetrics.regression import KendallRankCorrCoef, SpearmanCorrCoef

def result():
    torch.manual_seed(0)
    metric, scores = MADE, torch.empty(9)
    for _ in range(3):
        LINE
        GIVEN
    return metric.compute()PART

if __name__ == "__main__":
    result()
"""


OVERLAP = """import torch
from torchmetrics import Metric

class Overlap(Metric):
    full_state_update = False

    def __init__(self):
        super().__init__()
        self.add_state("both", torch.zeros(2), dist_reduce_fx="sum")
        self.add_state("either", torch.zeros(2), dist_reduce_fx="sum")

    def update(self, preds, target):
        self.both += (preds & target).sum(0)
        self.either += (preds | target).sum(0)

    def compute(self):
        LINE
        return overlap.mean()

def result():
    metric = Overlap()
    for rows in ([[True, False], [True, True]], [[False, True], [True, False]]):
        metric(torch.tensor(rows), torch.tensor([[True, True], [True, False]]))
    return metric.both

if __name__ == "__main__":
    result()
"""


CACHED = """import torch
from monai.data import CacheDataset, DataLoader
from monai.transforms import Compose, EnsureTyped, MapTransform, RandomizableTransform

class Drift(RandomizableTransform, MapTransform):
    def __init__(self, keys):
        RandomizableTransform.__init__(self, 1.0)
        MapTransform.__init__(self, keys)

    def __call__(self, data):
        d = dict(data)
        for key in self.key_iterator(d):
            LINE
        return d

def result():
    items = [{"image": torch.zeros(2)} for _ in range(2)]
    transform = Compose([EnsureTyped(keys="image", track_meta=False), Drift(keys="image")])
    made = CacheDataset(items, transform, num_workers=1, progress=False, copy_cache=COPY)
    sums = [batch["image"].sum() for _ in range(2) for batch in DataLoader(made, batch_size=2)]
    return torch.stack(sums)

if __name__ == "__main__":
    result()
"""


def cached(copy: bool, *expected: tuple[str, str]) -> Program:
    """A random transform changes what a data set has cached, or a copy of that."""
    text = CACHED.replace("COPY", str(copy))
    return Program("monai.data", text, "d[key].add_(1)", "d[key] = d[key] + 1", expected)


FITTED = """import numpy as np
import torch
from skorch import NeuralNetClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        return torch.softmax(self.linear(x), dim=-1)

class Focal(NeuralNetClassifier):
    def get_loss(self, y_pred, y_true, X=None, training=False):
        LINE
        return -probs.gather(1, y_true.unsqueeze(1)).log().mean()

def result():
    torch.manual_seed(0)
    net = Focal(Net, max_epochs=1, batch_size=-1, train_split=None, verbose=0)
    make_pipeline(StandardScaler(), net).fit(np.eye(2, dtype=np.float32), np.array([0, 1]))
    return net.module_.linear.weight.detach()

if __name__ == "__main__":
    result()
"""


def kept_by_metric(made: str, given: str, part: str = "") -> Program:
    """A metric keeps the scores of each batch, which the next one overwrites."""
    text = METRICS.replace("MADE", made).replace("GIVEN", given).replace("PART", part)
    line = "torch.sum(torch.rand(9, 2), dim=1, out=scores)"
    return Program("torchmetrics", text, line, "scores = torch.rand(9, 2).sum(dim=1)", (("IPL304", "out=scores"),))


def differentiated(needs: str, imports: str, call: str, *expected: tuple[str, str]) -> Program:
    """A library's result is overwritten before backward."""
    text = DIFFERENTIATED.replace("IMPORTS", imports).replace("MADE", call)
    return Program(needs, text, "y.clamp_(max=0.3)", "y = y.clamp(max=0.3)", expected)


WEIGHTED = """import torch
from torch_geometric.nn import LAYER

def result():
    torch.manual_seed(0)
    x = torch.rand(4, 8, requires_grad=True)
    edges = torch.tensor([[0, 1, 2, 3, 0], [1, 0, 1, 0, 2]])
    made, (_, weights) = LAYER(8, 8)(x, edges, return_attention_weights=True)
    LINE
    LOSS.backward()
    return x.grad

if __name__ == "__main__":
    result()
"""


def weighted(layer: str, loss: str, *expected: tuple[str, str]) -> Program:
    """The weights that a layer gives beside its result, which needs them, are changed."""
    text = WEIGHTED.replace("LAYER", layer).replace("LOSS", loss)
    return Program("torch_geometric.nn", text, "weights.mul_(0.5)", "weights = weights * 0.5", expected)


def in_memory(given: str, line: str, *expected: tuple[str, str]) -> Program:
    """A transform changes what a data set of graphs keeps."""
    text = ITEMS.replace("GIVEN", f"({given})")
    return Program("torch_geometric.loader", text, line, "data.pos = data.pos + 1", expected)


def parts_of_batch(given: str, *expected: tuple[str, str]) -> Program:
    """Graphs that were taken out of a batch are changed before backward."""
    text = PARTS.replace("MADE", given)
    return Program("torch_geometric.loader", text, "pos -= pos.mean(0)", "pos = pos - pos.mean(0)", expected)


def components(made: str, *expected: tuple[str, str]) -> Program:
    """A decomposition centres the memory of a tensor."""
    text = COMPONENTS.replace("found.fit(features.numpy())", "LINE").replace("MADE", made)
    line = "found.fit(features.numpy())"
    return Program("sklearn.decomposition", text, line, "found.fit(features.numpy().copy())", expected)


INCREMENTS = """import torch
import torchsde

def result():
    motion = torchsde.BrownianInterval(0.0, 1.0, (4, 1), entropy=3)
    noise = motion(0.0, 0.5)
    LINE
    return motion(LATER)

if __name__ == "__main__":
    result()
"""


DRIFTS = """import torch
import torchsde

class Pulled(torch.nn.Module):
    noise_type, sde_type = "diagonal", "stratonovich"

    def __init__(self):
        super().__init__()
        self.space = torch.zeros(4, 1)

    def f(self, t, y):
        LINE

    def g(self, t, y):
        return torch.zeros_like(y)

def result():
    return torchsde.sdeint(Pulled(), torch.ones(4, 1), torch.tensor([0.0, 1.0]), method="METHOD", dt=0.1)[-1]

if __name__ == "__main__":
    result()
"""


CLOSURES = """import torch
from skorch import NeuralNetRegressor
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1)

    def forward(self, x):
        LINE
        return self.linear(x)

def result():
    torch.manual_seed(0)
    net = NeuralNetRegressor(
        Net, optimizer=torch.optim.OPTIMIZER, lr=0.1, batch_size=-1, max_epochs=1, train_split=None, verbose=0
    )
    net.fit(torch.eye(2), torch.ones(2, 1))
    return net.module_.linear.weight.detach()

if __name__ == "__main__":
    result()
"""


AVERAGED = """import torch
from ema_pytorch import EMA
from torch import nn

def result():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    average = EMA(net, beta=0.5, update_after_step=0, update_every=1)
    average.update()
    with torch.no_grad():
        net[1].weight.add_(1)
    loss = net(torch.ones(1, 2)).sum()
    LINE
    loss.backward()
    return net[0].weight.grad

if __name__ == "__main__":
    result()
"""
GRAPHS = """import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

class Centre(BaseTransform):
    def forward(self, data):
        LINE
        return data

def result():
    graph = Data(pos=torch.arange(6.0).view(2, 3))
    return graph.pos - Centre()(graph).pos

if __name__ == "__main__":
    result()
"""
ITEMS = """import torch
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.loader import DataLoader
from torch_geometric.transforms import BaseTransform

class Add(BaseTransform):
    def forward(self, data):
        LINE
        return data

class Clouds(InMemoryDataset):
    def __init__(self, transform=None):
        super().__init__(None, transform)
        graphs = [Data(pos=torch.arange(6.0).view(2, 3) + size) for size in range(4)]
        self.data, self.slices = self.collate(graphs)

def result():
    for batch in GIVEN:
        pass
    return batch.pos

if __name__ == "__main__":
    result()
"""
EPOCHS = """import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

class Jitter(BaseTransform):
    def forward(self, data):
        LINE
        return data

def result():
    graph, jitter = Data(pos=torch.arange(6.0).view(2, 3)), eval("Jitter()")
    jitter(graph)
    return jitter(graph).pos
"""
PARTS = """import torch
from torch import nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

def radii(graphs):
    found = []
    for graph in graphs:
        pos = graph.pos
        LINE
        found.append(pos.square().sum())
    return torch.stack(found)

def result():
    torch.manual_seed(0)
    place, graphs = nn.Linear(3, 1), [Data(pos=torch.rand(4, 3)) for _ in range(2)]
    for batch in MADE:
        loss = (place(batch.pos).sum() - radii(batch.to_data_list()).sum()).square()
        loss.backward()
    return place.weight.grad

if __name__ == "__main__":
    result()
"""
COMPONENTS = """import torch
from sklearn.decomposition import PCA, IncrementalPCA

def share(features):
    found = MADE
    found.fit(features.numpy())
    return float(found.transform(features.numpy()).sum())

def result():
    torch.manual_seed(0)
    bank = torch.rand(20, 4)
    share(bank)
    return bank.norm(dim=1)

if __name__ == "__main__":
    result()
"""
MEMORIES = """import torch
from pytorch_metric_learning import distances, losses

def result():
    torch.manual_seed(0)
    encoder, labels = torch.nn.Linear(3, 4), torch.tensor([0, 1, 0, 1])
    similarity = distances.DotProductSimilarity(normalize_embeddings=False)
    memory = losses.CrossBatchMemory(losses.ContrastiveLoss(0.9, 0.1, distance=similarity), 4, memory_size=16)
    for _ in range(2):
        near, far = torch.randn(4, 3), torch.randn(4, 3)
        LINE
    return encoder.weight.grad
"""
LABELLED = """import torch
from transformers import GPT2Config, GPT2LMHeadModel

def result():
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(n_embd=8, n_layer=1, n_head=2, vocab_size=9, n_positions=8)).eval()
    ids = torch.arange(6).view(1, 6)
    logits = model(GIVEN).logits
    labels = ids
    LINE
    torch.nn.functional.cross_entropy(logits[0, :-1], labels[0, 1:], ignore_index=-100).backward()
    return model.lm_head.weight.grad

if __name__ == "__main__":
    result()
"""
HIDDEN = """import torch
from transformers import BertConfig, BertModel

def result():
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 9}
    bert = BertModel(BertConfig(num_hidden_layers=3, **sizes), add_pooling_layer=False).eval()
    states = bert(input_ids=torch.arange(4).view(1, 4), output_hidden_states=True).hidden_states[-3:]
    features = states[0]
    for state in states[1:]:
        LINE
    features.sum().backward()
    return bert.embeddings.word_embeddings.weight.grad
"""
POOLED = """import torch
from transformers import BertConfig, BertModel

def result():
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 9}
    bert = BertModel(BertConfig(num_hidden_layers=2, **sizes)POOLING).eval()
    outputs = bert(input_ids=torch.arange(4).view(1, 4))
    tokens = outputs.last_hidden_state
    LINE
    pooled = 0.0 if outputs.pooler_output is None else outputs.pooler_output
    (tokens.mean(1) + pooled).sum().backward()
    return bert.embeddings.word_embeddings.weight.grad
"""
TASK = """import torch
from transformers import BertConfig, BertForSequenceClassification, BertForTokenClassification

def result():
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 9}
    model = KIND(BertConfig(num_hidden_layers=2, attn_implementation="eager", **sizes)).MODE()
    tokens = torch.arange(4).view(1, 4)
    outputs = model(input_ids=tokens, labels=LABELS, output_attentions=True, output_hidden_states=True)
    given = outputs.WHAT
    LINE
    (outputs.loss + made.mean()).backward()
    return torch.zeros(1)

if __name__ == "__main__":
    result()
"""
MERGED = """import torch
from peft import LoraConfig, get_peft_model
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 1)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))

def result():
    torch.manual_seed(0)
    config = LoraConfig(r=2, target_modules=["first", "second"], init_lora_weights=False)
    model = get_peft_model(Net(), config)
    x = torch.ones(2, 3)
    loss = model(x).square().sum()
    LINE
    REST
    return torch.stack([p.grad.sum() for p in model.parameters() if p.grad is not None])

if __name__ == "__main__":
    result()
"""
STEERED = """import torch
from transformers import GPT2Config, GPT2LMHeadModel, LogitsProcessor, LogitsProcessorList

class Bias(LogitsProcessor):
    def __call__(self, input_ids, scores):
        LINE
        return scores

def result():
    torch.manual_seed(0)
    sizes = {"vocab_size": 9, "n_positions": 16, "n_embd": 8, "n_layer": 1, "n_head": 1}
    model = GPT2LMHeadModel(GPT2Config(bos_token_id=8, eos_token_id=8, **sizes)).eval()
    out = model.generate(
        torch.arange(4).view(1, 4),
        logits_processor=LogitsProcessorList([Bias()]),
        max_new_tokens=2,
        do_sample=False,
        pad_token_id=8,
        return_dict_in_generate=True,
        output_scores=True,
        output_logits=True,
    )
    return out.KEPT[0].log_softmax(-1)

if __name__ == "__main__":
    result()
"""
TAKEN_APART = """import torch
from monai.data import decollate_batch

def result():
    torch.manual_seed(0)
    logits = torch.randn(2, 3, requires_grad=True) * 1.0
    loss = torch.exp(logits).sum() + torch.nn.functional.softplus(logits).sum()
    for prediction in decollate_batch(logits):
        LINE
    loss.backward()
    return loss.detach()
"""
STATES = """import torch
import gymnasium
from gymnasium.vector import SyncVectorEnv

def result():
    games = SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * 2, COPY)
    state, _ = games.reset(seed=0)
    states = []
    for turn in range(3):
        LINE
        state, *rest = games.step(torch.ones(2, dtype=torch.int64).numpy())
    return torch.stack(states)

if __name__ == "__main__":
    result()
"""
MATRICES = """import torch
from ignite.engine import Engine, Events
from ignite.metrics import ConfusionMatrix

def result():
    matrix, seen = ConfusionMatrix(num_classes=3), []
    engine = Engine(lambda engine, label: (torch.eye(3), torch.tensor([0, 1, label])))
    matrix.attach(engine, "confusion")

    @engine.on(Events.ITERATION_COMPLETED)
    def record(engine):
        LINE

    engine.run(range(3))
    return torch.stack(seen)

if __name__ == "__main__":
    result()
"""
WINDOWS = """import torch
from monai.inferers import SlidingWindowInferer

def predict(window):
    LINE
    return window * 1

def result():
    torch.manual_seed(0)
    return SlidingWindowInferer(roi_size=(8, 8), sw_batch_size=1, overlap=0.5)(torch.rand(1, 1, 16, 16), predict)

if __name__ == "__main__":
    result()
"""
STITCHED = """import torch
from monai.inferers import sliding_window_inference

def result():
    scale = torch.ones((), requires_grad=True)
    image = torch.arange(256.0).view(1, 1, 16, 16) / 256
    volume = sliding_window_inference(image, (8, 8), 2, lambda window: LINE, overlap=0.5)
    volume.sum().backward()
    return scale.grad

if __name__ == "__main__":
    result()
"""
TABLES = """import torch
from diffusers import DDPMScheduler

def result():
    scheduler = DDPMScheduler(num_train_timesteps=10)
    alphas = scheduler.alphas_cumprod
    LINE
    timesteps = torch.tensor([3, 6])
    noisy = scheduler.add_noise(torch.ones(2, 3, 4, 4), torch.zeros(2, 3, 4, 4), timesteps)
    return noisy * alphas[timesteps].view(2, 1, 1, 1)

if __name__ == "__main__":
    result()
"""
FREQUENCIES = """import torch
from rotary_embedding_torch import RotaryEmbedding

def result():
    rotary = RotaryEmbedding(dim=8)
    for _ in range(3):
        frequencies = rotary(rotary.get_seq_pos(5, device="cpu", dtype=torch.float32), seq_len=5)
        LINE
    return frequencies

if __name__ == "__main__":
    result()
"""

SCALED = """import torch
from sklearn.preprocessing import StandardScaler, normalize

def result():
    torch.manual_seed(0)
    layer = torch.nn.Linear(4, 2)
    features = torch.rand(5, 4)
    loss = layer(features).square().sum()
    LINE
    loss.backward()
    return layer.weight.grad

if __name__ == "__main__":
    result()
"""

UPDATED = """import torch
import torchopt

def result():
    weight = torch.ones(3, requires_grad=True)
    loss = weight.pow(3).sum()
    LINE
    loss.backward()
    return weight.grad

if __name__ == "__main__":
    result()
"""

NEIGHBOURS = """import torch
from pytorch_metric_learning.distances import LpDistance
from pytorch_metric_learning.losses import BaseMetricLossFunction

class Nearest(BaseMetricLossFunction):
    def get_default_distance(self):
        return LpDistance(normalize_embeddings=True, p=2, power=1)

    def compute_loss(self, embeddings, labels, indices_tuple, ref_emb, ref_labels):
        distances = self.distance(embeddings, ref_emb)
        LINE
        losses = torch.logsumexp(-distances, dim=1)
        return {"loss": {"losses": losses, "indices": torch.arange(len(losses)), "reduction_type": "element"}}

def result():
    torch.manual_seed(0)
    x = torch.rand(4, 3, requires_grad=True)
    Nearest()(x, torch.arange(4)).backward()
    return x.grad
"""


def of_task(kind: str, mode: str, what: str, *codes: str) -> Program:
    """What a model with a head gives is changed before backward."""
    labels = "torch.tensor([1])" if "Sequence" in kind else "tokens % 2"
    text = TASK.replace("KIND", kind).replace("MODE", mode).replace("LABELS", labels).replace("WHAT", what)
    expected = tuple((code, "clamp_") for code in codes)
    return Program("transformers", text, "made = given.clamp_(min=0.1)", "made = given.clamp(min=0.1)", expected)


PROGRAMS: dict[str, Program] = {
    "scikit-learn: rows of the memory itself": Program(
        "sklearn.preprocessing",
        SCALED,
        "normalize(features.numpy(), copy=False)",
        "normalize(features.numpy())",
        (("IPL401", "copy=False"),),
    ),
    "scikit-learn: a scaler of the memory itself": Program(
        "sklearn.preprocessing",
        SCALED,
        "StandardScaler(copy=False).fit_transform(features.numpy())",
        "StandardScaler().fit_transform(features.numpy())",
        (("IPL401", "copy=False"),),
    ),
    "torchopt: updates": Program(
        "torchopt",
        UPDATED,
        "torchopt.apply_updates((weight,), (torch.ones(3),))",
        "torchopt.apply_updates((weight,), (torch.ones(3),), inplace=False)",
        (("IPL401", "apply_updates"),),
    ),
    "metric learning: a loss of one's own": Program(
        "pytorch_metric_learning.losses",
        NEIGHBOURS,
        'distances.fill_diagonal_(float("inf"))',
        'distances = distances.masked_fill(torch.eye(4, dtype=torch.bool), float("inf"))',
        (("IPL202", "fill_diagonal_"),),
    ),
    "kornia: edges": differentiated("kornia", "import kornia", "kornia.filters.sobel(x)", ("IPL202", "clamp_")),
    "kornia: edges of a module": differentiated(
        "kornia", "from kornia.filters import Sobel", "Sobel()(x)", ("IPL202", "clamp_")
    ),
    "kornia: gradients": differentiated("kornia", "import kornia", "kornia.filters.spatial_gradient(x)"),
    "entmax: a function": differentiated(
        "entmax", "from entmax import entmax15", "entmax15(x, dim=-1)", ("IPL202", "clamp_")
    ),
    "entmax: a module": differentiated(
        "entmax", "from entmax import Sparsemax", "Sparsemax()(x)", ("IPL202", "clamp_")
    ),
    "metric learning: distances": differentiated(
        "pytorch_metric_learning.distances",
        "from pytorch_metric_learning.distances import LpDistance",
        "LpDistance(normalize_embeddings=False)(x.view(8, 8))",
        ("IPL202", "clamp_"),
    ),
    "graphs: weights of GATConv": weighted("GATConv", "made.sum()", ("IPL201", "mul_")),
    "graphs: weights of GATv2Conv": weighted("GATv2Conv", "made.sum()", ("IPL201", "mul_")),
    "graphs: weights of TransformerConv": weighted("TransformerConv", "made.sum()", ("IPL201", "mul_")),
    "graphs: weights alone": weighted("GATConv", "weights.sum()"),
    "metric learning: squares of distances": differentiated(
        "pytorch_metric_learning.distances",
        "from pytorch_metric_learning.distances import LpDistance",
        "LpDistance(power=2)(x.view(8, 8))",
    ),
    "metric learning: similarities": differentiated(
        "pytorch_metric_learning.distances",
        "from pytorch_metric_learning.distances import CosineSimilarity",
        "CosineSimilarity()(x.view(8, 8))",
    ),
    "ema-pytorch: written back": Program(
        "ema_pytorch", AVERAGED, "average.update_model_with_ema()", "pass", (("IPL401", "update_model"),)
    ),
    "ema-pytorch: updated": Program("ema_pytorch", AVERAGED, "average.update()", "pass", ()),
    "graphs: a transform": Program(
        "torch_geometric.transforms",
        GRAPHS,
        "data.pos -= data.pos.mean(0)",
        "data.pos = data.pos - data.pos.mean(0)",
        (("IPL304", "-="),),
    ),
    "graphs: a transform that nobody in view calls": Program(
        "torch_geometric.transforms", EPOCHS, "data.pos += 1", "data.pos = data.pos + 1", (("IPL304", "+="),)
    ),
    "graphs: parts of a batch": parts_of_batch("DataLoader(graphs, 2)", ("IPL201", "-=")),
    "graphs: parts of a batch made by hand": parts_of_batch("[Batch.from_data_list(graphs)]", ("IPL201", "-=")),
    "scikit-learn: components": components("PCA(2, svd_solver='full', copy=False)", ("IPL305", "fit(")),
    "scikit-learn: components of a copy": components("PCA(2, svd_solver='full')"),
    "scikit-learn: components by covariance": components("PCA(2, svd_solver='covariance_eigh', copy=False)"),
    "scikit-learn: components bit by bit": components("IncrementalPCA(2, copy=False)", ("IPL305", "fit(")),
    "metric learning: a memory that two losses need": Program(
        "pytorch_metric_learning.losses",
        MEMORIES,
        "(memory(encoder(near), labels) + memory(encoder(far), labels)).backward()",
        "memory(encoder(near), labels).backward(); memory(encoder(far), labels).backward()",
        (("IPL201", "memory(encoder(far)"),),
    ),
    "transformers: hidden states": Program(
        "transformers", HIDDEN, "features += state", "features = features + state", (("IPL201", "+="),)
    ),
    **{
        f"transformers: labels made of the ids, {how}": Program(
            "transformers",
            LABELLED.replace("GIVEN", given),
            "labels[:, :2] = -100",
            "labels = labels.clone(); labels[:, :2] = -100",
            expected,
        )
        for how, given, expected in (
            ("by name", "input_ids=ids", (("IPL201", "-100"),)),
            ("by place", "ids", (("IPL201", "-100"),)),
            ("of a copy", "ids.clone()", ()),
        )
    },
    "transformers: what a pooler has read": Program(
        "transformers",
        POOLED.replace("POOLING", ""),
        "tokens[:, 1:] = 0.0",
        "tokens = tokens * torch.tensor([1.0, 0.0, 0.0, 0.0]).view(1, 4, 1)",
        (("IPL201", "tokens[:, 1:] = 0.0"),),
    ),
    **{
        f"transformers: {what} of a {kind}, {mode}": of_task(kind, mode, what, *expected)
        for kind in ("BertForSequenceClassification", "BertForTokenClassification")
        for mode in ("train", "eval")
        for what, expected in {
            "attentions[0]": ("IPL202",),
            "attentions[-1]": ("IPL202",),
            "hidden_states[0]": ("IPL201",),
            "logits": (),
        }.items()
    },
    "peft: merged before backward": Program(
        "peft",
        MERGED.replace("REST", "loss.backward()"),
        "model.merge_adapter()",
        "pass",
        (("IPL401", "merge_adapter"),),
    ),
    "peft: merged after backward": Program(
        "peft",
        MERGED.replace("LINE", "loss.backward(); LINE").replace("REST", "pass"),
        "model.merge_adapter()",
        "pass",
        (),
    ),
    "transformers: logits as they were": Program(
        "transformers",
        STEERED.replace("KEPT", "logits"),
        "scores[:, 2:5] += 1.5",
        "scores = scores + torch.tensor([0.0] * 2 + [1.5] * 3 + [0.0] * 4)",
        (("IPL305", "+="),),
    ),
    "transformers: scores as they were made": Program(
        "transformers",
        STEERED.replace("KEPT", "scores"),
        "scores[:, 2:5] += 1.5",
        "scores = scores + torch.tensor([0.0] * 2 + [1.5] * 3 + [0.0] * 4)",
        (),
    ),
    "transformers: no pooler": Program(
        "transformers",
        POOLED.replace("POOLING", ", add_pooling_layer=False"),
        "tokens[:, 1:] = 0.0",
        "tokens = tokens * torch.tensor([1.0, 0.0, 0.0, 0.0]).view(1, 4, 1)",
        (),
    ),
    "monai: items of a batch": Program(
        "monai.data",
        TAKEN_APART,
        "prediction.sigmoid_()",
        "shown = prediction.sigmoid()",
        (("IPL201", "sigmoid_"),),
    ),
    "graphs: items": in_memory("data[0] for data in [Clouds(Add())] * 2", "data.pos += 1", ("IPL304", "+=")),
    "graphs: batches": in_memory(
        "batch for loader in [DataLoader(Clouds(Add()), 2)] * 2 for batch in loader", "data.pos += 1", ("IPL304", "+=")
    ),
    "graphs: copies of items": in_memory(
        "data[0] for data in [Clouds(Add())] * 2", "data = data.clone(); data.pos += 1"
    ),
    "monai: cached items": cached(False, ("IPL304", "add_")),
    "monai: copies of cached items": cached(True),
    "scikit-learn: a pipeline": Program(
        "skorch", FITTED, "probs = y_pred.clamp_(0.01)", "probs = y_pred.clamp(0.01)", (("IPL202", "clamp_"),)
    ),
    "torchmetrics: batches are merged": Program(
        "torchmetrics",
        OVERLAP,
        "overlap = self.both.div_(self.either.clamp(min=1))",
        "overlap = self.both.div(self.either.clamp(min=1))",
        (("IPL301", "div_"),),
    ),
    "gymnasium: one array for all states": Program(
        "gymnasium.vector",
        STATES.replace("COPY", "copy=False"),
        "states.append(torch.from_numpy(state))",
        "states.append(torch.tensor(state))",
        (("IPL304", "games.step("),),
    ),
    "gymnasium: an array for each state": Program(
        "gymnasium.vector",
        STATES.replace("COPY", "copy=True"),
        "states.append(torch.from_numpy(state))",
        "states.append(torch.tensor(state))",
        (),
    ),
    "ignite: a matrix that grows": Program(
        "ignite",
        MATRICES,
        "seen.append(matrix.compute())",
        "seen.append(matrix.compute().clone())",
        (("IPL304", "engine.run("),),
    ),
    "monai: windows": Program(
        "monai.inferers", WINDOWS, "window -= window.mean()", "window = window - window.mean()", (("IPL305", "-="),)
    ),
    "monai: what windows give": Program(
        "monai.inferers",
        STITCHED,
        "torch.exp(window * scale)",
        "torch.exp(window * scale).clone()",
        (("IPL202", "sliding_window_inference("),),
    ),
    "diffusers: a table": Program(
        "diffusers", TABLES, "alphas /= 2", "alphas = alphas / 2", (("IPL304", "alphas /="),)
    ),
    "metrics: ranks": kept_by_metric("SpearmanCorrCoef()", "metric.update(scores, torch.arange(9.0))"),
    "metrics: ranks by pairs": kept_by_metric("KendallRankCorrCoef()", "metric.update(scores, torch.arange(9.0))"),
    "metrics: a list": kept_by_metric("CatMetric()", "metric.update(scores)"),
    "metrics: a collection": kept_by_metric(
        'MetricCollection({"ranks": SpearmanCorrCoef()})', "metric.update(scores, torch.arange(9.0))", '["ranks"]'
    ),
    "torchsde: increments": Program(
        "torchsde", INCREMENTS.replace("LATER", "0.25, 0.5"), "noise *= 0.1", "noise = noise * 0.1", (("IPL304", "*="),)
    ),
    "torchsde: increments of other times": Program(
        "torchsde", INCREMENTS.replace("LATER", "0.5, 0.75"), "noise *= 0.1", "noise = noise * 0.1", ()
    ),
    "torchsde: a drift that is kept for the second slope": Program(
        "torchsde",
        DRIFTS.replace("METHOD", "heun"),
        "return torch.mul(y, -1.5, out=self.space)",
        "return torch.mul(y, -1.5)",
        (("IPL304", "out=self.space"),),
    ),
    "torchsde: a drift that is used at once": Program(
        "torchsde",
        DRIFTS.replace("METHOD", "midpoint"),
        "return torch.mul(y, -1.5, out=self.space)",
        "return torch.mul(y, -1.5)",
        (),
    ),
    "skorch: a closure asked several times": Program(
        "skorch", CLOSURES.replace("OPTIMIZER", "LBFGS"), "x -= 0.5", "x = x - 0.5", (("IPL305", "-="),)
    ),
    "skorch: a closure asked once": Program(
        "skorch", CLOSURES.replace("OPTIMIZER", "SGD"), "x -= 0.5", "x = x - 0.5", ()
    ),
    "rotary: kept frequencies": Program(
        "rotary_embedding_torch",
        FREQUENCIES,
        "frequencies /= 2",
        "frequencies = frequencies / 2",
        (("IPL304", "frequencies /="),),
    ),
}


def test_the_library_that_writes_is_named() -> None:
    program = PROGRAMS["ignite: a matrix that grows"]
    [found] = lint_source(program.with_line(program.wrong))
    assert found.message.startswith("within `ignite.engine`, `+=` modifies")


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_library_gives_is_told_of(name: str) -> None:
    assert PROGRAMS[name].is_told()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_library_shows_what_is_told(name: str) -> None:
    pytest.importorskip(PROGRAMS[name].needs)
    assert PROGRAMS[name].goes_wrong() == bool(PROGRAMS[name].expected)
